"""What a class extends and what code raises, in every language that has it."""

import pytest

from quipu.read.code import read_code

CODE = {
    "python": (
        "class A(B, m.C[int], metaclass=M):\n"
        "    def f(self):\n        raise E('x')\n        raise m.F\n"
    ),
    "javascript": "class A extends m.B { f() { throw new E('x'); } }\n",
    "typescript": (
        "class A extends B implements C, D<string> { f() { throw new m.E('x'); } }\n"
        "interface I extends J, K<number> {}\n"
    ),
    "tsx": "class A extends B { f() { throw new E('x'); } }\n",
    "go": (
        "package p\ntype A struct {\n\tB\n\t*C\n\tp.D\n\tx int\n}\n"
        "type I interface {\n\tJ\n\tF()\n}\n"
    ),
    "java": (
        'class A extends B<X> implements C, D { void f() throws G { throw new E("x"); } }\n'
        "interface I extends J {}\n"
    ),
    "rust": (
        "struct A;\nimpl B for A {}\nimpl<T> From<T> for A {}\nimpl std::fmt::Display for A {}\n"
    ),
    "cpp": 'class A : public B, private n::C, D<int> { void f() { throw n::E("x"); } };\n',
    "csharp": 'class A : B, n.C, D<int> { void f() { throw new E("x"); } }\n',
    "ruby": "class A < M::B\n  def f\n    raise E, 'x'\n    raise F.new('y')\n  end\nend\n",
    "php": "<?php\nclass A extends B implements C { function f() { throw new E('x'); } }\n",
}
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
