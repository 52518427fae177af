#!/usr/bin/env bash
# Index this checkout as a user would, validate the graph, and ask the golden questions; then those
# about a few conversations, in a memory of their own.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
quipu=$here/.venv/bin/quipu
[ -f .quipu/quipu.db ] || "$quipu" init
"$quipu" --quiet index .
"$quipu" validate
"$quipu" golden run tests/golden/repository.yaml

talks=$(mktemp -d)
trap 'rm -rf "$talks"' EXIT
cp -r tests/golden/conversations "$talks/"
cd "$talks"
"$quipu" --quiet init
"$quipu" --quiet ingest conversations
"$quipu" validate
"$quipu" golden run "$here/tests/golden/conversations.yaml"
