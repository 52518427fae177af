"""What the rows of a table say of the things that they name."""

import pytest

from quipu.answer.dated_facts import said
from quipu.extract.statements import read_statements
from quipu.records.record import Fact

MARKDOWN = """# Services

| Service | Owner | `port` | Notes |
|---------|:-----:|-------:|-------|
| **ledger** | [Team Blue](teams/blue.md) | 8080 | Keeps every booking, and must never be down. |
| mailer | Ann \\| Bo | - | |

The rest is told elsewhere.
"""
CSV = "service,owner,on_call\nledger,Ann,Bo\nmailer,Cy,\n"


def _read(text: str) -> list[tuple[str, str, str]]:
    return [(s.subject, s.predicate, s.object) for s in read_statements(text)]


def test_a_row_of_markdown_tells_of_what_it_names() -> None:
    assert _read(MARKDOWN) == [
        ("ledger", "owner", "Team Blue"),
        ("ledger", "port", "8080"),
        ("mailer", "owner", "Ann | Bo"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_text_with_the_same_columns_in_each_line_is_a_table(delimiter: str) -> None:
    assert _read(CSV.replace(",", delimiter)) == [
        ("ledger", "owner", "Ann"),
        ("ledger", "on call", "Bo"),
        ("mailer", "owner", "Cy"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "| | before | now |\n|---|---|---|\n| recall | 60 | 62 |\n| errors | 4 | 2 |\n",  # no kind
        "year,sales\n2019,40\n2020,41\n2021,43\n",  # of numbers
        "name,team\nAnn,Blue\nAnn,Red\n",  # what is named stands once
        "Dear Ann, thank you.\nWe met Bo, Cy came too.\nSee you, Dana.\n",  # sentences
        "name,team\nAnn,Blue,Red\nBo,Red\n",  # not the same columns
        "Ann, Bo\n",
        "|\n|--|\n",
    ],
)
def test_what_names_nothing_tells_nothing(text: str) -> None:
    assert _read(text) == []


def test_a_row_is_read_back_by_its_name_and_stands_on_its_line() -> None:
    (first, *_) = read_statements(MARKDOWN)
    assert MARKDOWN[first.start : first.end].startswith("| **ledger**")
    fact = Fact(
        fact_id="fa_1",
        subject=first.subject,
        predicate=first.predicate,
        object=first.object,
        updated_at="2026-03-10T10:00:00.000Z",
        source_sha="0",
        provenance={"rule": first.rule, "noun": first.noun},
    )
    assert said(fact) == "ledger's owner is Team Blue"


def test_a_quoted_cell_may_hold_the_separator_and_the_end_of_a_line() -> None:
    text = 'id;cause;note\nINC-3;"expired\ncertificate";"a; b"\n\nINC-4;bad config;\n'
    statements = read_statements(text)
    assert [(s.subject, s.predicate, s.object) for s in statements] == [
        ("INC-3", "cause", "expired certificate"),
        ("INC-3", "note", "a; b"),
        ("INC-4", "cause", "bad config"),
    ]
    first, last = statements[0], statements[-1]
    assert text[first.start : first.end].startswith("INC-3;")
    assert text[last.start : last.end] == "INC-4;bad config;"


@pytest.mark.parametrize(
    ("head", "counted"),
    [("id", "id"), ("order_id", "order"), ("Ticket Number", "ticket"), ("orderId", "order")],
)
def test_a_number_names_with_a_head_that_says_so(head: str, counted: str) -> None:
    assert _read(f"{head},owner\n1041,Ann\n1042,Bo\n") == [
        (f"{counted} 1041", "owner", "Ann"),
        (f"{counted} 1042", "owner", "Bo"),
    ]


RECORDS = (
    '{"owner": "Ann", "id": "ledger", "port": 8080, "on": true, "of": ["a"]}\n'
    '\n{"id": "mailer", "owner": "Bo", "since": null}\n'
)


def test_a_record_of_json_is_a_row_that_its_first_id_names() -> None:
    assert _read(RECORDS) == [
        ("ledger", "owner", "Ann"),
        ("ledger", "port", "8080"),
        ("ledger", "on", "true"),
        ("mailer", "owner", "Bo"),
    ]
    last = read_statements(RECORDS)[-1]
    assert RECORDS[last.start : last.end].startswith('{"id": "mailer"')


@pytest.mark.parametrize(
    "text",
    [
        '{"level": "info", "at": "2026-03-01"}\n{"level": "warn", "at": "2026-03-02"}\n',
        '{"id": "a", "owner": "Ann"}\n{"id": "a", "owner": "Bo"}\n',
        '{"id": "a", "owner": "Ann"}\n{"id": \n',
    ],
)
def test_records_that_nothing_names_tell_nothing(text: str) -> None:
    assert _read(text) == []
