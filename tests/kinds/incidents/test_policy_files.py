"""Action policies of one's own: what is sound is used, what is not is named."""

from pathlib import Path

import pytest

from quipu.errors import InvalidInput
from quipu.kinds.incidents.policies import read_policies

GOOD = (
    "  - name: slow\n    conditions: ['latency_p99 > 800', 'error_rate <= 0.1']\n"
    "    actions: [scale_out]\n"
)


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(text, "utf-8")
    return path


def test_a_sound_policy_is_read_with_its_defaults(tmp_path: Path) -> None:
    ((policy,), problems) = read_policies(_file(tmp_path, f"policies:\n{GOOD}"))
    assert problems == ()
    assert list(map(str, policy.conditions)) == ["latency_p99 > 800", "error_rate ≤ 0.1"]
    assert (policy.priority, policy.cool_down_seconds, policy.enabled) == (3, 300, True)


def test_a_condition_may_be_written_in_full(tmp_path: Path) -> None:
    text = (
        "- name: full\n  conditions:\n    - {metric: cpu_util, operator: gte, threshold: 0.9}\n"
        "  actions: rollback\n  priority: 1\n"
    )
    ((policy,), _) = read_policies(_file(tmp_path, text))
    assert str(policy.conditions[0]) == "cpu_util ≥ 0.9"
    assert policy.actions == ("rollback",)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: [dance]}\n", "'dance'"),
        ("  - {name: x, conditions: ['cpu_util ~ 0.5'], actions: [rollback]}\n", "cannot be read"),
        ("  - {name: x, conditions: ['cpu_util > much'], actions: [rollback]}\n", "> much'"),
        ("  - {name: x, conditions: ['speed > 1'], actions: [rollback]}\n", "'speed'"),
        ("  - {name: x, actions: [rollback]}\n", "conditions"),
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: []}\n", "actions"),
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: [rollback], speed: 1}\n", "speed"),
        ("  - {name: x, conditions: ['cpu_util > 1'], actions: [rollback]}\n", "can never hold"),
        ("  - {name: x, priority: 6, condition: cpu_util > .5, actions: rollback}\n", "priority"),
        ("  - 5\n", "5 is no policy"),
        (GOOD, "stands here twice"),
    ],
)
def test_a_bad_policy_is_named_and_the_rest_is_used(tmp_path: Path, row: str, said: str) -> None:
    (kept, problems) = read_policies(_file(tmp_path, f"policies:\n{GOOD}{row}"))
    assert [each.name for each in kept] == ["slow"]
    (problem,) = problems
    assert said in problem.error
    assert problem.path.endswith("p.yaml#2")


@pytest.mark.parametrize("text", ["policies: 5\n", "{", "a: ["])
def test_what_is_no_list_of_policies_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"p\.yaml"):
        read_policies(_file(tmp_path, text))


def test_a_list_that_holds_itself_is_no_policy(tmp_path: Path) -> None:
    kept, problems = read_policies(_file(tmp_path, "- &a [*a]\n"))
    assert kept == ()
    assert "is no policy" in problems[0].error


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_policies(tmp_path / "none.yaml")
