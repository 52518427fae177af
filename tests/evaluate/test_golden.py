"""Golden questions are read strictly and checked against what comes back."""

from pathlib import Path

import pytest
from tests.rows import rows

from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.evaluate.golden import GoldenReport, load, run
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder


def ran(tmp_path: Path, goldens: str) -> GoldenReport:
    home = tmp_path / "home"
    home.mkdir()
    (home / "pay.py").write_text('def charge_card(n):\n    """Charge a card."""\n    return n\n')
    (home / "CODEOWNERS").write_text("*.py @team-pay\n")
    file = tmp_path / "goldens.yaml"
    file.write_text(goldens, "utf-8")
    with Memory.open("memory:", home=home, config=Config(), embedder=HashEmbedder()) as memory:
        memory.index([home])
        return run(memory, file)


def test_questions_pass_and_fail_with_reasons(tmp_path: Path) -> None:
    report = ran(
        tmp_path,
        """
- question: who owns pay.py?
  expect:
    paths: [CODEOWNERS, nowhere.md]
    words: [TEAM-PAY]
  mode: local
  min_confidence: 0.1
- question: who owns pay.py?
  expect:
    paths: {all: ["CODE*", docs/a.md]}
    graph_ids: [re_none]
    words: [team-core]
- question: who is the mayor of Ouagadougou?
  abstain: true
- question: who owns pay.py?
  abstain: true
- question: who is the mayor of Ouagadougou?
  expect: {words: [mayor]}
""",
    )
    assert [result.passed for result in report.results] == [True, False, True, False, False]
    assert not report.passed
    reasons = "\n".join(report.results[1].reasons)
    for part in ("'docs/a.md'", "graph id of 're_none'", "lacks the word 'team-core'"):
        assert part in reasons
    assert "should be unknown" in report.results[3].reasons[0]
    assert report.results[4].reasons[0].startswith("is unknown: ")


def test_what_must_not_stand_in_the_answer_fails_it(tmp_path: Path) -> None:
    report = ran(
        tmp_path,
        """
- question: who owns pay.py?
  expect: {words: [team-pay], not: [TEAM-PAY]}
- question: who owns pay.py?
  expect: {not: [team-core]}
""",
    )
    assert [result.passed for result in report.results] == [False, True]
    assert "which must not stand there" in report.results[0].reasons[0]


@pytest.mark.parametrize(
    ("goldens", "message"),
    rows(__file__, "a_bad_file_is_refused_with_the_place"),
)
def test_a_bad_file_is_refused_with_the_place(tmp_path: Path, goldens: str, message: str) -> None:
    file = tmp_path / "goldens.yaml"
    file.write_text(goldens)
    with pytest.raises(InvalidInput, match=message):
        load(file)
