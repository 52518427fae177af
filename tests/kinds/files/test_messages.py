"""Messages of programs, asked about as they were shown: the code that says them is quoted."""

from collections.abc import Callable

import pytest

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
    "mill/wheel.rs": """use std::fmt;

pub enum WheelError {
    Dry,
    Frozen,
}

impl fmt::Display for WheelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WheelError::Dry => f.write_str("no water reaches the wheel"),
            WheelError::Frozen => f.write_str("ice holds the wheel fast"),
        }
    }
}

pub fn turn(level: u32, cold: bool) -> Result<u32, WheelError> {
    if level < 3 {
        return Err(WheelError::Dry);
    }
    if cold {
        return Err(WheelError::Frozen);
    }
    Ok(level)
}
""",
    "web/order.js": """class OrderError extends Error {
  constructor (amount) {
    super('The order of ' + amount + ' sacks is larger than the stock')
  }
}

function place (amount, stock) {
  // Half of what is in stock is kept for the village.
  if (amount > stock / 2) {
    throw new OrderError(amount)
  }
  return stock - amount
}

module.exports = { place }
""",
    "web/Till.java": """package web;

public class Till {
  private static final String EMPTY = "There is no change left in the till";

  public int change(int paid, int price) {
    if (paid - price > held) {
      throw new IllegalStateException(EMPTY);
    }
    return paid - price;
  }
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
            "if stone is None:\n    raise GrindError(\n",
            "mill/grind.py",
        ),
        (  # the beginning of it is enough
            "\"no stone is laid for 'rye'\" what triggers this?",
            '"lay one with lay_stone() first"\n',
            "mill/grind.py",
        ),
        (
            'what does "the grain never ended" mean',
            '        break\nelse:\n    raise GrindError("the grain never ended")',
            "mill/grind.py",
        ),
        (
            'we keep getting "Could not weigh the grain oats." - why?',
            '    if grain.wet:\n        message += " It is wet."\n    raise GrindError(message)',
            "mill/grind.py",
        ),
        (
            'no bin found for grain "oats" - what is this error telling me?',
            "if _, err := l.find(s.Grain); err != nil {\n",
            "mill/sack.go",
        ),
        (  # held by a constant
            '"Left a sack without a string." in my logs',
            "if s.String == nil {\n\t// A torn sack spills.\n\tl.log.Warn(_tornSackMsg)\n}",
            "mill/sack.go",
        ),
        (
            "the loft holds no further sack",
            "if l.count >= l.room {\n\treturn ErrFull\n}",
            "mill/sack.go",
        ),
        (  # held by a variant
            "what causes 'no water reaches the wheel'",
            "if level < 3 {\n    return Err(WheelError::Dry);\n}",
            "mill/wheel.rs",
        ),
        (  # put together by a type
            "OrderError: The order of 40 sacks is larger than the stock",
            "// Half of what is in stock is kept for the village.\nif (amount > stock / 2) {\n",
            "web/order.js",
        ),
        (
            'IllegalStateException: "There is no change left in the till"',
            "if (paid - price > held) {\n  throw new IllegalStateException(EMPTY);\n",
            "web/Till.java",
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


def test_a_constant_that_a_condition_names_is_told_with_its_value(
    ask: Callable[[str], Reply],
) -> None:
    reply = ask('"the stone turned for too long" - after how many turns is that?')
    assert "where `MAX_TURNS = 150`" in reply.contract.answer
    assert "# A stone that turns for longer runs hot." in reply.contract.answer
    assert 3 in {cited.start_line for cited in reply.citations}


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


def test_what_is_asked_besides_a_message_is_told_with_doubt(ask: Callable[[str], Reply]) -> None:
    reply = ask('"the grain never ended" - who painted the barn door green?')
    assert reply.confidence.inputs["stated"] < 1  # pyright: ignore[reportOptionalOperand]
