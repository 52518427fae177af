"""Everything that the description of the API allows, and much that it does not, is tried."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

CONFIG = """
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "5xx"]
"""
EXAMPLES = os.environ.get("QUIPU_SCHEMA_EXAMPLES", "5")


def test_the_server_is_as_described(server: Any) -> None:
    """Examples, bounds, values at random and calls that follow from each other; of all that is
    there but what goes on by itself, which `test_work` tries. Two checks are left out: a 400 may
    follow for what no schema says (a text that is no date), and of OPTIONS nobody makes use. More
    of a list than is taken may be larger than any body may be: then it is refused as that, 413."""
    (server.memories.folder / "schemathesis.toml").write_text(CONFIG, "utf-8")
    key = server.memories.keys.create("default", "admin").key
    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            "run",
            f"{server.url}/api/openapi.json",
            "--seed",
            "7",
            "--max-examples",
            EXAMPLES,
            "--exclude-path-regex",
            "/events$|/api/v1/runs$|/api/v1/setup$",
            "--header",
            f"Authorization: Bearer {key}",
            "--exclude-checks",
            "unsupported_method,allow_header_conformance,positive_data_acceptance",
            "--suppress-health-check",
            "all",
            "--warnings",
            "off",
            "--request-timeout",
            "60",
            "--no-color",
        ],
        cwd=server.memories.folder,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
