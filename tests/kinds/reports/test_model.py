"""What is left of a report where some of its lines may not be used."""

import msgspec
import pytest

from quipu.kinds.reports.model import Report, ReportBasis, ReportLine, trimmed

QUOTE = ReportLine(
    text="Ada leads it.",
    chunk_id="c1",
    document_id="d1",
    source_ref="a.md",
    start_line=1,
    end_line=1,
)
FACT = ReportLine(
    text="Its owner is Bo.", fact_id="f1", source_ref="b.md", chunk_id="c2", document_id="d2"
)
REPORT = Report(
    ref="report:1",
    title="Teams",
    place="docs",
    documents=2,
    passages=2,
    first_seen="2026-01-01",
    last_seen="2026-01-02",
    names=(),
    quotes=(QUOTE,),
    facts=(FACT,),
)


@pytest.mark.parametrize(
    "allowed",
    [
        ReportBasis(frozenset({"c1", "c2"}), frozenset({"d1", "d2"}), frozenset()),
        ReportBasis(frozenset({"c1"}), frozenset({"d1"}), frozenset({"f1"})),
        ReportBasis(frozenset({"c2"}), frozenset({"d2"}), frozenset({"f1"})),
    ],
    ids=["the fact is gone", "its source is gone", "the sentence is gone"],
)
def test_a_line_goes_with_what_it_rests_on(allowed: ReportBasis) -> None:
    left = trimmed(REPORT, allowed, keep_title=True)
    assert left is not None
    assert len(left.quotes) + len(left.facts) == 1


def test_a_report_of_an_earlier_version_is_read() -> None:
    kept = msgspec.to_builtins(REPORT) | {
        "written_by": "a:model",
        "changes": [{"title": "Say who leads"}],
    }
    assert msgspec.convert(kept, Report) == REPORT
