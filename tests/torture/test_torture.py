"""The trials of `make torture`, each in a short form: same code, same seeds, few cases."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from bench.torture.files import make_heavy, read_hostile
from bench.torture.kills import cases_of
from bench.torture.processes import Processes
from bench.torture.run import TRIALS, load, main
from bench.torture.trial import Broken, Hands, Outcome, Plan, Trial, run_trial
from bench.torture.warm import Warm
from bench.torture.writes import unsorted_commands

pytestmark = [pytest.mark.slow, pytest.mark.enable_socket]

Try = Callable[[str, Sequence[int]], Outcome]


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with Warm() as running:
        yield running


@pytest.fixture
def tried(warm: Warm, tmp_path: Path) -> Try:
    """Runs the cases of a trial by its name; what failed fails the test."""

    def run(name: str, numbers: Sequence[int]) -> Outcome:
        outcome = run_trial(load(name), Plan(seed=1, scratch=tmp_path, cases=numbers), [warm])
        assert outcome.cases == len(numbers)
        assert outcome.failures == []
        return outcome

    return run


def test_of_every_command_it_is_known_whether_it_writes() -> None:
    assert unsorted_commands() == []


def test_killed_commands_lose_nothing_and_leave_nothing_half_done(tried: Try) -> None:
    tried("kills", range(1, 46, 5))


def test_entities_are_created_whole_or_not_at_all(tried: Try) -> None:
    tried("kills", cases_of("create_entities", 3))


def test_a_full_disk_loses_nothing(tried: Try) -> None:
    tried("disk", range(6))


def test_hostile_files_do_no_harm(tried: Try) -> None:
    tried("files", range(20, 25))


@pytest.mark.parametrize(
    ("name", "data"),
    [("x.rst", b"a-" * 15_000), ("x.pdf", make_heavy("a PDF of much text"))],
    ids=["points", "much text"],
)
def test_a_file_that_costs_too_much_is_left_out(
    warm: Warm, tmp_path: Path, name: str, data: bytes
) -> None:
    read_hostile(Hands(warm, tmp_path), name, name, data, cpu_s=8, max_seconds=3)


def test_no_escape_reaches_a_terminal(tried: Try) -> None:
    assert tried("terminal", range(1)).tried > 40


def test_nothing_of_another_namespace_is_seen(tried: Try) -> None:
    assert tried("namespaces", range(2)).tried > 400


def test_processes_at_once_lose_nothing(tried: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Processes, "seconds", 3.0)
    monkeypatch.setattr(Processes, "writers", 2)
    monkeypatch.setattr(Processes, "readers", 1)
    assert tried("processes", [0]).tried >= 3


class Failing(Trial):
    name, what, cases = "failing", "breaks at one", 2

    def case(self, number: int, dice: Random, hands: Hands) -> None:
        if number:
            raise Broken("it broke")


def test_a_trial_names_what_failed_and_how_to_repeat_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(TRIALS, "failing", "failing:Failing")
    monkeypatch.setattr("bench.torture.run.load", lambda name: Failing)
    assert main(["--only", "failing", "--seed", "7", "--side-by-side", "1"]) == 1
    said = capsys.readouterr().out
    assert "case 1: it broke" in said
    assert "python -m bench torture --only failing --seed 7 --case 1" in said
