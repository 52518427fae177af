"""The page on incidents: its blocks run as they stand, its tables are those of the code."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quipu.kinds.incidents.policies import SHIPPED

FOLDER = Path(__file__).parents[2] / "docs" / "how-to"
PAGE = (FOLDER / "incidents.md").read_text(encoding="utf-8")
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
BLOCKS = [text for language, text in FENCED if language == "sh"]
PRINTED = [text for language, text in FENCED if not language]


@pytest.mark.slow
@pytest.mark.model
def test_every_block_runs_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "postmortems", tmp_path / "postmortems")
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    environment["QUIPU_EMBED_PRECISION"] = "int8"  # as most processors take it, and all can
    done = subprocess.run(
        ["bash", "-c", "set -eu\n" + "\n".join(BLOCKS)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "added: inc_" in done.stdout
    assert len(PRINTED) == 2
    for block in PRINTED:
        assert block in done.stdout
    assert "3 like cases, 3 worked" in done.stdout
    assert "For checkout-api (learned; advice only, nothing is run)\nscale_out" in done.stdout
    assert "first\n  action: scale_out\n" in done.stdout
    assert "second\n  action: restart_container\n" in done.stdout
    assert done.stdout.count("differs yes · known incidents") == 4
    assert "circuit_breaker did not work\n" in done.stdout


def test_the_table_of_policies_is_that_of_the_code() -> None:
    for policy in SHIPPED:
        conditions = " and ".join(map(str, policy.conditions))
        actions = ", ".join(policy.actions)
        row = f"| {policy.name} | {conditions} | {actions} | {policy.priority} |"
        assert row in PAGE


def test_the_constants_are_those_of_the_code() -> None:
    from quipu.kinds.incidents import advice, links

    assert f"numbers ≥ {links.LEAST_ALIKE:g}".replace("0.", ".") in PAGE
    assert f"≤ {links.CAUSE_WINDOW_S // 60} min before" in PAGE
    assert f"≤ {links.ESCALATION_WINDOW_S // 60} min after" in PAGE
    assert f"weigh less than {advice.THIN:g}, the advice" in " ".join(PAGE.split())
    assert f"probability ≥ {advice.SURE:g}".replace("0.", ".") in PAGE
    assert f"weighs {advice.UNTRIED:g} of".replace("0.", ".") in " ".join(PAGE.split())
    assert f"age / {advice.HALF_LIFE_DAYS:g} days" in PAGE
