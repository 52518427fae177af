#!/usr/bin/env bash
# Index this checkout as a user would, validate the graph, and ask the golden questions.
set -euo pipefail
cd "$(dirname "$0")/.."
quipu=.venv/bin/quipu
[ -f .quipu/quipu.db ] || "$quipu" init
"$quipu" --quiet index .
"$quipu" validate
"$quipu" golden run tests/golden/repository.yaml
