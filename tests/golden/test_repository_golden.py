"""The questions about this repository: enough of them, and enough that must not be answered.

`make goldens` asks them, on an index made the way a user makes it.
"""

from pathlib import Path

from quipu.evaluate.golden import load

ROOT = Path(__file__).parents[2]


def test_there_are_enough_questions_and_abstentions() -> None:
    goldens = load(ROOT / "tests" / "golden" / "repository.yaml")
    assert len(goldens) >= 20
    assert sum(golden.abstain for golden in goldens) >= 6
    assert len({golden.question for golden in goldens}) == len(goldens)


def test_what_is_expected_exists() -> None:
    for golden in load(ROOT / "tests" / "golden" / "repository.yaml"):
        paths = golden.expect.paths if golden.expect else ()
        listed = paths if isinstance(paths, tuple) else (*paths.any, *paths.all)
        for path in listed:
            assert any(ROOT.glob(path)), path


def test_the_questions_are_left_out_of_the_index() -> None:
    assert "/tests/" in (ROOT / ".quipuignore").read_text("utf-8").splitlines()
