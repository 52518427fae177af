"""The contract's two readings agree, and nothing that breaks it leaves the gate."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer.contract import check, cited, schema, schema_errors
from quipu.answer.gate import AnswerDraft, Evidence, pass_gate
from quipu.answer.limitations import Doubt

NOW = "2026-11-22T01:05:00.000Z"
TEXTS = st.sampled_from(["", " ", "unknown", "Unknown.", "It is so [1].", "[1,2]", "a\x1b[0m", "x"])
TIMES = st.sampled_from(
    [
        NOW,
        "2026-11-22t01:05:60z",
        "2026-11-22T01:05:00+14:00",
        "2026-11-22",
        "soon",
        "",
        "2026-11-22T25:05:00Z",
        "2026-11-22T01:05:00+24:00",
        "2026-11-22T01:05:00-01:99",
    ]
)
LISTS = st.lists(st.sampled_from(["", " ", "a", "b", "unknown"]), max_size=3)
ITEMS = st.dictionaries(
    st.sampled_from(["graph_ids", "file_paths", "excerpt", "source_sha", "more"]),
    LISTS | TEXTS | st.none() | st.just([1]),
    max_size=5,
) | st.fixed_dictionaries({"graph_ids": LISTS, "file_paths": LISTS})
WELL_KEYED = st.fixed_dictionaries(
    {
        "answer": TEXTS,
        "evidence": st.lists(ITEMS, max_size=3),
        "timestamp": TIMES,
        "limitations": TEXTS,
        "next_step": TEXTS,
    }
)
ANYHOW = st.dictionaries(
    st.sampled_from(["answer", "evidence", "timestamp", "limitations", "next_step", "more"]),
    TEXTS | TIMES | st.none() | st.integers() | st.lists(ITEMS, max_size=2),
)


@given(WELL_KEYED | ANYHOW)
def test_the_quick_reading_is_the_schema(data: dict[str, Any]) -> None:
    by_schema = schema_errors(data)
    errors = check(data)
    assert bool(by_schema) == any(error.startswith("schema: ") for error in errors)


def test_the_schema_is_the_one_laid_down() -> None:
    assert schema()["required"] == ["answer", "evidence", "timestamp", "limitations", "next_step"]
    assert schema()["additionalProperties"] is False
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_what_is_no_json_breaks_the_contract() -> None:
    assert "not JSON" in check({"answer": object()})[0]
    assert "not JSON" in check({"answer": "\ud800"})[0]


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("So [1].", [1]),
        ("So [1,3] and [2].", [1, 3, 2]),
        ("`a[0]` is so [1].", [1]),
        ("[x] (1) [1 2] []", []),
        ("[" + "9" * 5000 + "]", []),
    ],
)
def test_marks_are_read_outside_of_code(answer: str, numbers: list[int]) -> None:
    assert cited(answer) == numbers


EVIDENCE = st.builds(
    Evidence,
    id=st.sampled_from(["ch_1", "ch_2"]),
    document_id=st.just("en_1"),
    path=st.sampled_from(["docs/a.md", "", "unknown"]),
    start_line=st.just(1),
    end_line=st.just(2),
    title=st.just("A"),
    text=st.text(max_size=40),
    is_code=st.booleans(),
    graph_ids=st.lists(st.sampled_from(["re_1", "re_2", " "]), max_size=3).map(tuple),
    updated_at=st.just(NOW),
    source_sha=st.just("0"),
)
DRAFTS = st.builds(
    AnswerDraft,
    answer=st.text(max_size=30) | TEXTS,
    evidence=st.lists(EVIDENCE, max_size=3).map(tuple),
)


@given(DRAFTS, st.floats(0, 1), TEXTS, TEXTS)
def test_any_draft_passes_or_becomes_unknown(
    draft: AnswerDraft, confidence: float, limitations: str, next_step: str
) -> None:
    known = {"re_1"}
    gated = pass_gate(
        draft,
        Doubt(limitations, next_step),
        known_ids=known,
        confidence=confidence,
        assert_above=0.7,
        timestamp=NOW,
    )
    assert check(gated.contract, known_ids=known, confidence=confidence) == []
    assert schema_errors(json.loads(_encoded(gated.contract))) == []
    if gated.notes:
        assert gated.contract.answer == "unknown"
        assert gated.contract.evidence == gated.evidence == ()
        assert gated.contract.limitations.strip()
    else:
        assert gated.contract.answer == draft.answer


def _encoded(contract: object) -> bytes:
    import msgspec

    return msgspec.json.encode(contract)


def test_asking_does_not_load_the_schema_library() -> None:
    program = (
        "import sys; from quipu.answer.contract import check; "
        "c = dict(answer='x [1]', evidence=[dict(graph_ids=['a'], file_paths=['b'])],"
        " timestamp='2026-01-01T00:00:00Z', limitations='', next_step='');"
        "assert check(c) == []; sys.exit('jsonschema' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
