"""A short trial of the tree that changes, in one process: twenty changes, each with a question."""

from pathlib import Path
from random import Random

import pytest
from bench.torture.tree import Tree
from bench.torture.trial import Hands
from bench.torture.warm import Warm


class _Short(Tree):
    changes = 20
    elsewhere = False


def test_no_sure_answer_is_refuted_by_the_tree(tmp_path: Path) -> None:
    warm = Warm()  # never started
    trial = _Short(tmp_path / "prepared", 1, warm)
    assert trial.case(0, Random(1), Hands(warm, tmp_path / "case")) == 20


def test_the_trial_finds_a_check_that_looks_at_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bench.torture.trial import Broken

    from quipu.memory.freshness import Freshness

    monkeypatch.setattr(Freshness, "changes", lambda *_: {})
    warm = Warm()
    trial = _Short(tmp_path / "prepared", 1, warm)
    with pytest.raises(Broken, match="the tree says"):
        trial.case(0, Random(1), Hands(warm, tmp_path / "case"))
