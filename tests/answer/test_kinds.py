"""Which kind of thing a question asks for, and whether a text names one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.answer.answer_type import holds
from quipu.question import Kind, read_question


@pytest.mark.parametrize(
    ("question", "kind"),
    rows(__file__, "the_kind_that_is_asked_for"),
)
def test_the_kind_that_is_asked_for(question: str, kind: Kind | None) -> None:
    assert read_question(question).kind == kind


@pytest.mark.parametrize(
    ("question", "text", "held"),
    rows(__file__, "whether_a_text_names_such_a_thing"),
)
def test_whether_a_text_names_such_a_thing(question: str, text: str, held: bool) -> None:
    kind = read_question(question).kind
    assert kind is not None
    assert holds(kind, text, read_question(question)) is held


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_raises(question: str, text: str) -> None:
    kind = read_question(question).kind or "class"
    assert holds(kind, text, read_question(question)) in {True, False}
