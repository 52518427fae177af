"""Messages of programs, asked about as they were shown: the code that says them is quoted."""

import time
from collections.abc import Callable

import pytest

from quipu.kinds.files.messages import LITERALS
from quipu.records.reply import Reply

FILES = {
    "mill/grind.py": '''"""Grinds grain."""

MAX_TURNS = 150


class GrindError(Exception):
    """Grinding went wrong."""


def grind(grain, stone=None):
    """Grind grain to flour."""
    if stone is None:
        raise GrindError(
            f"no stone is laid for {grain!r}, "
            "lay one with lay_stone() first"
        )
    for turn in count():
        # A stone that turns for longer runs hot.
        if turn > MAX_TURNS:
            raise GrindError("the stone turned for too long")
        if not turned(stone, turn):
            break
    else:
        raise GrindError("the grain never ended")


def report(grain):
    message = f"Could not weigh the grain {grain}."
    if grain.wet:
        message += " It is wet."
    raise GrindError(message)
''',
    "mill/sack.go": """package mill

import (
	"errors"
	"fmt"
)

const (
	_tornSackMsg = "Left a sack without a string."
	_wetSackMsg  = "Left a wet sack."
)

// ErrFull is told when no sack fits any more.
var ErrFull = errors.New("the loft holds no further sack")

// Store puts a sack away.
func (l *Loft) Store(s Sack) error {
	if l.count >= l.room {
		return ErrFull
	}
	if s.String == nil {
		// A torn sack spills.
		l.log.Warn(_tornSackMsg)
	}
	if _, err := l.find(s.Grain); err != nil {
		return fmt.Errorf("no bin found for grain %q; "+
			"is the loft swept: %w", s.Grain, err)
	}
	return nil
}
""",
    "tests/test_grind.py": """from mill.grind import grind


def test_no_stone():
    with raises(GrindError, match="no stone is laid for 'rye', lay one with"):
        grind("rye")
""",
}


@pytest.mark.parametrize(
    ("question", "quoted", "path"),
    [
        (
            "GrindError: no stone is laid for 'rye', lay one with lay_stone() first",
            "    if stone is None:\n        raise GrindError(\n",
            "mill/grind.py",
        ),
        (  # the beginning of it is enough
            "\"no stone is laid for 'rye'\" what triggers this?",
            '"lay one with lay_stone() first"\n',
            "mill/grind.py",
        ),
        (
            'what does "the grain never ended" mean',
            '    break\nelse:\n    raise GrindError("the grain never ended")',
            "mill/grind.py",
        ),
        (
            'no bin found for grain "oats" - what is this error telling me?',
            "if _, err := l.find(s.Grain); err != nil {\n",
            "mill/sack.go",
        ),
    ],
)
def test_a_message_is_answered_by_what_leads_to_it(
    ask: Callable[[str], Reply], question: str, quoted: str, path: str
) -> None:
    reply = ask(question)
    assert quoted in reply.contract.answer
    assert path in {cited.path for cited in reply.citations}
    assert reply.confidence.inputs["stated"] == 1


def test_a_test_that_expects_a_message_gives_way_to_what_says_it(
    ask: Callable[[str], Reply],
) -> None:
    reply = ask("no stone is laid for 'rye', lay one with")
    assert {cited.path for cited in reply.citations} == {"mill/grind.py"}


@pytest.mark.parametrize(
    "question",
    [
        "GrindError: no stone is worn for the barley today",  # other words
        '"the miller never slept" what does it mean',
        "how long does the stone turn",  # no message
        "which grain is laid down first",
        '"grain never"',  # two words of one
        "GrindError: the grain",
    ],
)
def test_what_the_code_does_not_say_is_not_told_as_a_message(
    ask: Callable[[str], Reply], question: str
) -> None:
    inputs = ask(question).confidence.inputs
    assert not inputs.get("stated")


def test_hostile_code_is_read_in_time() -> None:
    begun = time.process_time()
    for text in ('"%' + "0" * 19_000 + '"', '"' + '#"' * 9000, '"a"+(' * 4000, '"\\' * 9000):
        list(LITERALS.finditer(text))
    assert time.process_time() - begun < 2.0
