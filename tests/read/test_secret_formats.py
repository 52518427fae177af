"""Nearly every published format of a secret goes, and what only looks like one stays.

`secrets/formats.tsv` holds how secrets are written by the public documentation of who issues them,
a name and a text a line: the secret between brackets, and in it marks as in `secret_corpus.py`.
"""

import random
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.read.secret_corpus import filled
from tests.rows import rows

from quipu.read import redact

ROOT = Path(__file__).parents[2]
_ROWS = (Path(__file__).parent / "secrets" / "formats.tsv").read_text("utf-8").splitlines()
FORMATS = dict(line.split("\t") for line in _ROWS)


class Made(NamedTuple):
    """A text and the secret in it; of what is to go, no eight characters may stay."""

    text: str
    secret: str


def make(name: str, seed: str = "1") -> Made:
    """The format of this name with values of `seed`."""
    written = FORMATS[name].encode("raw_unicode_escape").decode("unicode_escape")
    coded, _ = filled(written, random.Random(f"{name}/{seed}"))
    before, secret, after = re.split("[⟦⟧]", coded)
    return Made(before + secret + after, secret)


def left_of(made: Made) -> bool:
    """Whether eight characters in a row of the secret, or all of a shorter one, are still there."""
    text = re.sub(r"\[redacted:[a-z0-9-]+\]", "\n", redact(made.text)[0])
    size = min(8, len(made.secret))
    return any(made.secret[i : i + size] in text for i in range(len(made.secret) - size + 1))


@pytest.mark.parametrize("seed", ["1", "2"])
def test_published_formats_are_redacted(seed: str) -> None:
    leaked = [name for name in FORMATS if left_of(make(name, seed))]
    print(f"{len(FORMATS) - len(leaked)} of {len(FORMATS)} formats; left: {leaked}")
    assert len(FORMATS) >= 135
    assert leaked == []


@pytest.mark.parametrize(
    "around",
    rows(__file__, "a_token_is_found_wherever_it_stands"),
)
def test_a_token_is_found_wherever_it_stands(around: str) -> None:
    token = make("github personal").secret
    assert token not in redact(around.format(token))[0]


KEPT = rows(__file__, "secret_formats_kept")


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, {})


@pytest.mark.parametrize(
    "said",
    [
        "The wifi password is {}.",
        "I changed the wifi password to {}",
        "please set my new admin password for gitea to {}, thanks",
        "The password has been reset to {}.",
        "password was just changed to `{}`",
    ],
)
def test_a_password_that_a_sentence_tells_is_redacted(said: str) -> None:
    text, counts = redact(said.format("greenfinch12"))
    assert counts == {"password": 1}
    assert "greenfinch" not in text


def test_nothing_of_this_project_is_damaged() -> None:
    files = [
        *sorted((ROOT / "src").rglob("*.py")),
        *sorted((ROOT / "src").rglob("*.toml")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted(ROOT.glob("*.md")),
        ROOT / "uv.lock",
    ]
    damaged = {
        str(path.relative_to(ROOT)): counts
        for path in files
        if (counts := redact(path.read_text("utf-8"))[1])
    }
    print(f"{len(damaged)} of {len(files)} files changed")
    assert damaged == {}


def test_a_secret_of_kubernetes_goes_entry_by_entry() -> None:
    text, counts = redact(
        "kind: Secret\ndata:\n  a: aGVsbG8=\n  b: |\n    d29ybGQ=\n  # said\nstringData:\n"
        '  c: "plain"\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  d: stays\n'
    )
    assert counts == {"secret": 3}
    assert not any(value in text for value in ("aGVs", "d29y", "plain"))
    assert "type: Opaque" in text
    assert "d: stays" in text


@pytest.mark.parametrize(
    "text",
    [
        "kind: Secret\n{{- if .Values.on }}\ndata:\n  a: SAID\n{{- end }}\n",
        "kind: Secret\ndata:\n{{- if .Values.on }}\n  a: SAID\n{{- end }}\n",
        "kind: Secret\n{% if on %}\ndata:\n  a: SAID\n{% endif %}\n",
        '{\n"kind": "Secret",\n"data":\n{\n"a": "SAID"\n}\n}\n',
        '{"kind": "SecretList", "items": [{"data": {"a": "SAID"}}]}\n',
    ],
)
def test_a_secret_of_kubernetes_goes_however_it_is_laid_out(text: str) -> None:
    said = text.replace("SAID", "bonjourmonde")
    assert redact(said)[0] == text.replace("SAID", "[redacted:secret]")


def test_another_block_of_a_page_stays() -> None:
    page = "```yaml\nkind: Secret\n```\nand\n```yaml\nkind: ConfigMap\ndata:\n  d: stays\n```\n"
    assert redact(page) == (page, {})
