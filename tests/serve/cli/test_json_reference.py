"""The documentation of the JSON is made from the types, and what is printed has those types."""

from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from tests.rows import rows
from tools.cli_reference import commands
from tools.json_reference import DOCUMENTS, schema

from quipu.serve.shapes import keys, parts

SCHEMA = msgspec.json.decode(schema())


def test_every_command_has_a_documented_document() -> None:
    leaves = [name for name, command in commands() if not hasattr(command, "entries")]
    assert {*DOCUMENTS} == {*leaves} - {"quipu mcp"}  # its output is a protocol's


_APART = ("without_gold", "questions")


def test_every_key_that_is_printed_has_a_meaning() -> None:
    figures = {f"{name}.{key}" for name in ("Evaluation", "MeasuredTurns") for key in _APART}
    unprinted = {*figures, "AnswersEvaluation.answers"}
    for shape in parts(shape for each in DOCUMENTS.values() for shape in each):
        fields = {f.encode_name for f in msgspec.structs.fields(shape)}
        without = {f"{shape.__name__}.{name}" for name in fields - {k.name for k in keys(shape)}}
        assert without <= unprinted


@pytest.mark.parametrize(
    ("name", "words"),
    rows(__file__, "what_is_printed"),
)
def test_what_is_printed_has_the_documented_keys(quipu, project: Path, name, words) -> None:
    printed = quipu(*words, "--json").document
    shape = DOCUMENTS[name][0]
    assert set(printed) == {key.name for key in keys(shape)}
    assert _plain(msgspec.convert(printed, shape)) == printed
    definition = {**SCHEMA, "$ref": f"#/$defs/{shape.__name__}"}
    jsonschema.Draft202012Validator(definition).validate(printed)


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value, order="deterministic"))
