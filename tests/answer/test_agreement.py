"""How far quoted lines agree with the question."""

import pytest

from quipu.answer.agreement import agreement
from quipu.answer.gate import Evidence
from quipu.question import read_question


def passage(text: str, *, code: bool = False) -> Evidence:
    """A passage that says `text`, under no title."""
    return Evidence(
        id="ch_1",
        document_id="",
        path="notes.md",
        start_line=1,
        end_line=1,
        title="",
        text=text,
        is_code=code,
        graph_ids=(),
        updated_at="",
        source_sha="",
    )


@pytest.mark.parametrize(
    ("question", "quoted", "code", "told"),
    [
        ("What is read_limit for?", "`read_limit`: The bytes read at once.", False, None),
        ("What is read_limit for?", "The bytes that are read at once.", False, "absent"),
        ("Who owns the shop?", "The shop is owned by Ann Lee.", False, None),
    ],
)
def test_what_speaks_for_and_against_quoted_lines(
    question: str, quoted: str, code: bool, told: str | None
) -> None:
    found = agreement(read_question(question), quoted, None, [passage(quoted, code=code)])
    assert found.met is None
    found = found._replace(plain=0.0)
    assert {name for name, value in found._asdict().items() if value} == ({told} - {None})


@pytest.mark.parametrize(
    ("question", "quoted", "code", "plain"),
    [
        ("Who owns the shop?", "The shop is owned by Ann Lee.", False, True),
        ("Who owns the shop?", "shop.owner = 'Ann Lee'", True, False),
        ("Who owns the shop?", "The owner of `shop` is Ann Lee.", False, False),
        ("What is read_limit for?", "The bytes read at once.", False, False),
    ],
)
def test_prose_is_plain_where_nothing_shows_code(
    question: str, quoted: str, code: bool, plain: bool
) -> None:
    found = agreement(read_question(question), quoted, None, [passage(quoted, code=code)])
    assert bool(found.plain) is plain


def test_a_name_that_no_cited_passage_speaks_of_is_absent() -> None:
    asked, quoted = read_question("Which port does Kafka listen on?"), "The port is 9092."
    elsewhere = passage("The port of the shop is 9092.")
    assert agreement(asked, quoted, None, [elsewhere]).absent == 1.0
    assert agreement(asked, quoted, None, [elsewhere, passage("Kafka: 9092.")]).absent == 0.0
    titled = passage(quoted)._replace(title="Kafka")
    assert agreement(asked, quoted, None, [titled]).absent == 0.0


def test_a_name_is_the_same_with_its_possessive() -> None:
    asked = read_question("What is Kafka's port?")
    assert agreement(asked, "Kafka listens on 9092.", None, [passage("Kafka.")]).absent == 0.0


def test_a_name_may_be_written_as_one_word() -> None:
    asked = read_question("Which port has Block Store?")
    assert agreement(asked, "It is 9092.", None, [passage("blockstore: 9092")]).absent == 0.0
    assert agreement(asked, "It is 9092.", None, [passage("blockstores9: 9092")]).absent == 1.0
