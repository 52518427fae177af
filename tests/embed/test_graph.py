"""The shipped graphs are those that the script makes, and hold no weights."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from quipu.embed.weights import find_model
from quipu.errors import MissingModel

SCRIPT = Path(__file__).parents[2] / "bench" / "teach" / "minilm_graph.py"
SHIPPED = files("quipu.embed")


def test_graphs_have_no_weights_in_them() -> None:
    assert len(SHIPPED.joinpath("minilm.onnx").read_bytes()) < 40_000
    for name in ("minilm_int8.onnx", "minilm_int8_exact.onnx", "minilm_rounding.onnx"):
        assert len(SHIPPED.joinpath(name).read_bytes()) < 200_000


@pytest.mark.model
def test_script_makes_the_shipped_graphs_byte_for_byte(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="onnx is a development dependency")
    try:
        weights = find_model().weights
    except MissingModel as error:
        pytest.skip(str(error))
    subprocess.run([sys.executable, str(SCRIPT), str(weights), str(tmp_path)], check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(made) == 5
    for name, graph in made.items():
        assert graph == SHIPPED.joinpath(name).read_bytes()
