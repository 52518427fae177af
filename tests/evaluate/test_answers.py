"""`quipu eval answers`: trees and archives with questions, judged by patterns."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.rows import rows

from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.evaluate.answers import evaluate_answers
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

QUESTIONS: list[dict[str, Any]] = rows(__file__, "answers_questions")


def _open(path: str, home: Path) -> Memory:
    return Memory.open(path, config=Config(), embedder=HashEmbedder(32), home=home)


def _set(folder: Path, rows: list[dict[str, Any]] = QUESTIONS) -> Path:
    tree = folder / "up" / "tree" / "docs"
    tree.mkdir(parents=True)
    (tree / "uploader.md").write_text("# Uploader\n\nThe retry limit of the uploader is five.\n")
    (tree / "other.md").write_text("# Gardens\n\nRoses are pruned in spring.\n")
    (folder / "up.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def test_right_wrong_and_abstained_are_told_apart(tmp_path: Path) -> None:
    found = evaluate_answers(_set(tmp_path / "sets"), _open)
    verdicts = {each.id: each.verdict for each in found.answers}
    assert verdicts == {"1": "right", "2": "wrong", "3": "abstained"}
    assert found.questions == 3
    rates = [found.right_sure, found.right_hedged, found.wrong_sure, found.wrong_hedged]
    assert sum(rates) + found.abstained == 1
    assert found.none == {"abstained": 1.0, "hedged": 0.0, "sure": 0.0}
    assert found.cited_gold == 0.5
    assert found.answers[0].rank == 1
    assert set(found.by_kind) == {"value", "fact"}
    assert set(found.by_set) == {"up"}
    shown = json.loads(json.dumps(found.as_json()))
    assert "answers" not in shown
    assert {"precision_sure", "auroc", "ece", "file_hit"} <= shown.keys()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": " ", "must": ["x"]}, "up.jsonl:1: the question is blank"),
        ({"question": "q", "must": ["("]}, "up.jsonl:1: .*mend it"),
        ({"question": "q"}, "give `must` or `paths`"),
        ({"question": 3}, "up.jsonl:1: Expected `str`"),
    ],
)
def test_a_bad_question_is_named_with_its_line(
    tmp_path: Path, row: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        evaluate_answers(_set(tmp_path / "sets", [row]), _open)


def test_an_archive_that_reaches_outside_is_refused(tmp_path: Path) -> None:
    sets = tmp_path / "sets"
    sets.mkdir()
    (sets / "bad.jsonl").write_text(json.dumps(QUESTIONS[0]))
    (tmp_path / "outside.md").write_text("x")
    with tarfile.open(sets / "bad.tar", "w") as archive:
        archive.add(tmp_path / "outside.md", arcname="../../outside.md")
    with pytest.raises(InvalidInput, match="cannot be unpacked"):
        evaluate_answers(sets, _open)
