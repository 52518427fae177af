"""The page on facts says what the code does."""

from pathlib import Path

from quipu.facts.match import HELD, LATEST, SIMILARITY, VALID
from quipu.memory.facts import DISAGREES
from quipu.when import find_partial, find_spans, read_question_time

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "facts.md").read_text("utf-8")
TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| `") and line.count(" | ") == 1
]


def test_the_formula_has_the_weights_of_the_code() -> None:
    formula = " ".join(PAGE.split("score = ", 1)[1].split("\n\n", 1)[0].split())
    assert formula == (
        f"coverage + {SIMILARITY:g} · similarity + {VALID:g} [valid then] "
        f"+ {HELD:g} [not merely touching it] "
        f"+ {LATEST:g} [not superseded by one that holds then as well]"
    )
    assert f"{DISAGREES:g} for what disagrees" in PAGE


def test_every_time_of_the_table_is_read() -> None:
    now = "2026-05-20T10:00:00.000Z"
    read = 0
    for written, meaning in TABLE:
        for piece in written.split("`")[1::2]:
            word = piece in {"since", "from", "as of", "after", "until", "by", "before"}
            example = f"{piece} 2003" if word else piece
            if meaning == "beside another fact":
                assert read_question_time(f"Who led it {example}?").kind != "none"
            else:
                spans = find_spans(example, now=now) or find_partial(example, now=now)
                assert len(spans) == 1, example
            read += 1
    assert read > 20
