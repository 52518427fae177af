"""A way to call the command line in this process, as a person does in a folder."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from quipu.serve.cli import cli


@dataclass(frozen=True)
class Outcome:
    """What a run left: its exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document it has to be."""
        return json.loads(self.out)


Quipu = Callable[..., Outcome]


@pytest.fixture
def quipu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Quipu:
    """Call `quipu` with the given words in an empty folder that is nobody's memory yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(*words: str, stdin: str | bytes | None = None) -> Outcome:
        result = CliRunner().invoke(cli, list(words), input=stdin)
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def project(quipu: Quipu, tmp_path: Path) -> Path:
    """A small project with code and documents that were indexed."""
    files = {
        "docs/payments.md": "# Payments\n\nThe payment service charges cards and retries failed "
        "charges three times. It is described in [the ledger page](ledger.md).\n",
        "docs/ledger.md": "# Ledger\n\nThe ledger keeps every booking of the payment service.\n",
        "src/charge.py": '"""Charging cards."""\n\n\ndef charge_card(card: str) -> bool:\n'
        '    """Charge a card and say whether it worked."""\n    return bool(card)\n',
        "CODEOWNERS": "docs/payments.md @team-pay\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert quipu("init").code == 0
    outcome = quipu("index", ".")
    assert outcome.code == 0, outcome.err
    return tmp_path
