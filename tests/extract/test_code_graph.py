"""Symbols, what they use, and what files import."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.rows import rows

from quipu.records.record import Entity, Relation

Extract = Callable[[Mapping[str, str]], Any]

PACKAGE = {
    "src/pkg/__init__.py": "from pkg.core import Engine\n",
    "src/pkg/core.py": (
        "import os\nimport numpy as np\nfrom . import tools\n"
        "from pkg.tools import clean as tidy\n\n\n"
        "class Engine:\n    def start(self):\n        self.warm()\n        tidy(np.zeros(3))\n\n"
        "    def warm(self):\n        tools.measure()\n        missing()\n"
    ),
    "src/pkg/tools.py": "def clean(x):\n    return x\n\n\ndef measure():\n    return clean(1)\n",
    "tests/test_core.py": "from pkg import Engine\n\n\ndef test_it():\n    Engine().start()\n",
}


def test_symbols_are_defined_in_their_documents(extract: Extract) -> None:
    asserted = extract(PACKAGE)
    assert ("src/pkg/core.py:Engine.start", "DEFINED_IN", "src/pkg/core.py") in asserted.triples(
        "DEFINED_IN"
    )
    (start,) = [e for e in asserted.entities().values() if e.name == "Engine.start"]
    assert start.aliases == ("start",)
    assert (start.properties["kind"], start.properties["start_line"]) == ("method", 8)


def test_imports_are_documents_of_the_tree_or_packages(extract: Extract) -> None:
    assert extract(PACKAGE).triples("IMPORTS") == {
        ("src/pkg/__init__.py", "IMPORTS", "src/pkg/core.py"),
        ("src/pkg/core.py", "IMPORTS", "src/pkg/__init__.py"),
        ("src/pkg/core.py", "IMPORTS", "src/pkg/tools.py"),
        ("src/pkg/core.py", "IMPORTS", "numpy"),
        ("tests/test_core.py", "IMPORTS", "src/pkg/__init__.py"),
    }


def test_uses_are_resolved_in_the_file_then_through_imports(extract: Extract) -> None:
    assert extract(PACKAGE).triples("REFERS_TO") >= {
        ("src/pkg/core.py:Engine.start", "REFERS_TO", "src/pkg/core.py:Engine.warm"),
        ("src/pkg/core.py:Engine.start", "REFERS_TO", "src/pkg/tools.py:clean"),
        ("src/pkg/core.py:Engine.warm", "REFERS_TO", "src/pkg/tools.py:measure"),
        ("src/pkg/tools.py:measure", "REFERS_TO", "src/pkg/tools.py:clean"),
        ("tests/test_core.py:test_it", "REFERS_TO", "src/pkg/core.py:Engine"),
    }


def test_confidence_says_how_a_name_was_found(extract: Extract) -> None:
    asserted = extract(PACKAGE)
    names = {i: e.name for i, e in asserted.entities().items()}
    found = {
        (names[r.source_entity_id], names[r.target_entity_id]): r.confidence
        for r in asserted.records()
        if isinstance(r, Relation) and r.type == "REFERS_TO"
    }
    assert found["Engine.start", "Engine.warm"] == 0.95
    assert found["Engine.start", "clean"] == 0.9
    assert found["test_it", "Engine"] == 0.8  # through what the package brings out


def test_a_name_that_could_mean_two_things_means_nothing(extract: Extract) -> None:
    files = {
        "a.py": "def shared_name():\n    pass\n",
        "b.py": "def shared_name():\n    pass\n",
        "c.py": "def user():\n    shared_name()\n    value.append(1)\n",
        "d.py": "class Log:\n    def append(self, x):\n        pass\n",
    }
    assert extract(files).triples("REFERS_TO") == set()


@pytest.mark.parametrize(
    ("path", "code"),
    rows(__file__, "what_is_called_of_elsewhere_is_not_of_this_tree"),
)
def test_what_is_called_of_elsewhere_is_not_of_this_tree(
    extract: Extract, path: str, code: str
) -> None:
    asserted = extract(
        {
            path: code,
            "src/own.py": (
                "def decode_all(x):\n    return x\n\n\n"
                "class Shelf:\n    def measure_all(self):\n        return 1\n"
            ),
            "own.js": "function decodeAll(x) {}\nclass Shelf { measureAll() {} }\n",
            "own.go": (
                "package own\n\ntype Shelf struct{}\n\nfunc (s *Shelf) MeasureAll() {}\n\n"
                'func (s *Shelf) Error() string { return "" }\n'
            ),
        }
    )
    assert not [t for t in asserted.triples("REFERS_TO") if t[0].startswith(path)]


def test_a_method_that_one_thing_has_is_called_of_what_is_not_known(extract: Extract) -> None:
    asserted = extract(
        {
            "a.py": "def read(given):\n    return given.measure_all()\n",
            "b.py": "class Shelf:\n    def measure_all(self):\n        return 1\n",
        }
    )
    assert ("a.py:read", "REFERS_TO", "b.py:Shelf.measure_all") in asserted.triples("REFERS_TO")


def test_evidence_is_the_chunk_in_which_it_stands(extract: Extract) -> None:
    asserted = extract(PACKAGE)
    for path, claims in asserted.claims.items():
        for claim in claims:
            assert claim.chunk_ids, claim
            record = claim.record
            if isinstance(record, Entity) and record.type == "Symbol":
                start, end = asserted.lines[claim.chunk_ids[0]]
                assert start <= record.properties["start_line"] <= end, (path, record.name)


TYPES = dict(rows(__file__, "code_graph_types"))


def test_classes_extend_what_their_heads_name(extract: Extract) -> None:
    assert extract(TYPES).triples("EXTENDS") == {
        ("shop/errors.py:Declined", "EXTENDS", "shop/errors.py:ShopError"),
        ("shop/charge.py:Late", "EXTENDS", "shop/errors.py:ShopError"),
        ("src/lib.rs:Disk", "EXTENDS", "src/lib.rs:Store"),
        ("pkg/a.go:Wide", "EXTENDS", "pkg/a.go:Base"),
    }


def test_functions_raise_exceptions_that_are_known(extract: Extract) -> None:
    assert extract(TYPES).triples("RAISES") == {
        ("shop/charge.py:charge_card", "RAISES", "shop/errors.py:Declined"),
    }


def test_every_record_carries_its_time_and_source(extract: Extract) -> None:
    for record in extract(PACKAGE).records():
        assert record.updated_at == "2024-05-06T07:08:09.000Z"
        assert record.source_sha
