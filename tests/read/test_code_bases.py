"""What a class extends and what code raises, in every language that has it."""

import pytest
from tests.rows import rows

from quipu.read.code import read_code

CODE = dict(rows(__file__, "code_bases_code"))
BASES = {
    "python": {("B", "A"), ("m.C", "A")},
    "javascript": {("m.B", "A")},
    "typescript": {("B", "A"), ("C", "A"), ("D", "A"), ("J", "I"), ("K", "I")},
    "tsx": {("B", "A")},
    "go": {("B", "A"), ("C", "A"), ("p.D", "A"), ("J", "I")},
    "java": {("B", "A"), ("C", "A"), ("D", "A"), ("J", "I")},
    "rust": {("B", "A"), ("From", "A"), ("std.fmt.Display", "A")},
    "cpp": {("B", "A"), ("n.C", "A"), ("D", "A")},
    "csharp": {("B", "A"), ("n.C", "A"), ("D", "A")},
    "ruby": {("M.B", "A")},
    "php": {("B", "A"), ("C", "A")},
}
RAISED = {
    "python": {("E", "A.f"), ("m.F", "A.f")},
    "javascript": {("E", "A.f")},
    "typescript": {("m.E", "A.f")},
    "tsx": {("E", "A.f")},
    "java": {("E", "A.f"), ("G", "A.f")},
    "cpp": {("n.E", "A.f")},
    "csharp": {("E", "A.f")},
    "ruby": {("E", "A.f"), ("F", "A.f")},
    "php": {("E", "A.f")},
}


@pytest.mark.parametrize("language", sorted(CODE))
def test_bases_and_raised_exceptions_are_read(language: str) -> None:
    code = read_code(CODE[language], language)
    assert not code.broken
    assert {(u.name, u.within) for u in code.uses if u.kind == "base"} == BASES[language]
    raised = {(u.name, u.within) for u in code.uses if u.kind == "raise"}
    assert raised == RAISED.get(language, set())
