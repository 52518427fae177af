"""The shipped graph is the one that the script makes, and holds no weights."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from quipu.embed.weights import find_model
from quipu.errors import MissingModel

SCRIPT = Path(__file__).parents[2] / "bench" / "make_minilm_graph.py"
SHIPPED = files("quipu.embed").joinpath("minilm.onnx").read_bytes()


def test_graph_has_no_weights_in_it() -> None:
    assert len(SHIPPED) < 40_000


@pytest.mark.model
def test_script_makes_the_shipped_graph_byte_for_byte(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="onnx is a development dependency")
    try:
        weights = find_model().weights
    except MissingModel as error:
        pytest.skip(str(error))
    made = tmp_path / "minilm.onnx"
    subprocess.run([sys.executable, str(SCRIPT), str(weights), str(made)], check=True)
    assert made.read_bytes() == SHIPPED


@pytest.mark.model
def test_script_makes_the_8_bit_graph_and_its_probe_byte_for_byte(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="onnx is a development dependency")
    try:
        weights = find_model().weights
    except MissingModel as error:
        pytest.skip(str(error))
    exponents = SCRIPT.parent / "minilm_exponents.json"
    for source, name, *more in (
        [str(weights), "minilm_int8.onnx", str(exponents)],
        ["--probe", "int8_probe.onnx"],
    ):
        made = tmp_path / name
        subprocess.run([sys.executable, str(SCRIPT), source, str(made), *more], check=True)
        assert made.read_bytes() == files("quipu.embed").joinpath(name).read_bytes()
