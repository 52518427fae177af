"""What reaches a terminal is safe, fits, and is coloured only where somebody sees it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.serve.cli.terminal import colours, emit, safe, snippet

TEXT = st.text(st.characters(codec=None), max_size=200)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\rb\x07", "a\\x0db\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("left \u202e right", "left \\u202e right"),
        ("\ud800", "\\ud800"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("中文 é 🙂", "中文 é 🙂"),
    ],
)
def test_control_characters_become_escapes(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(TEXT)
def test_safe_text_has_nothing_that_steers_and_stays_as_it_is(text: str) -> None:
    shown = safe(text)
    assert all(c in "\t\n" or c.isprintable() or ord(c) > 0x9F for c in shown)
    assert safe(shown) == shown
    shown.encode("utf-8")


@given(TEXT)
def test_json_says_the_same_and_steers_nothing(text: str) -> None:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out:
        emit({"text": text})
    printed = out.getvalue()
    assert json.loads(printed) == {"text": text}
    assert safe(printed) == printed


class _Terminal:
    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals_and_can_be_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = _Terminal()
    assert colours(terminal)  # type: ignore[arg-type]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colours(terminal)  # type: ignore[arg-type]
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not colours(terminal)  # type: ignore[arg-type]


def test_prose_is_shown_around_the_line_that_fits_the_question() -> None:
    text = "Cats sleep a lot. " * 90 + "The retry policy is three attempts. " + "Dogs bark. " * 90
    lines = snippet(text, "what is the retry policy?")
    assert "The retry policy is three attempts" in " ".join(lines)
    assert len(lines) == 6


def test_code_is_shown_dedented() -> None:
    code = "    def f():\n        return 1\n\n" + "        x = 1\n" * 20
    lines = snippet(code, "f", indent="> ")
    assert lines[:2] == ["> def f():", ">     return 1"]
    assert len(lines) == 6
