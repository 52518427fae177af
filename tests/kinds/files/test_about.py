"""What a project is said to be: by the lead of its README, and by its manifest."""

from collections.abc import Callable

import pytest
from tests.talk import ask

from quipu.answer import ASSERT_ABOVE
from quipu.memory import Memory

README = """<div align="center"><a href="https://x.org"><img src="a.png"></a></div>

<!-- made by
hand -->
[![Build](https://x.org/b.svg)](https://x.org) [![Docs](https://x.org/d.svg)](https://x.org/docs)

> Sponsored by [Somebody](https://y.org).

# Gadget

**Gadget** is a small *toolbox* for [winding] clocks. It needs no key.

[winding]: https://x.org/winding

## Install

Install this project with pip; what is in it is yours.
"""
Remember = Callable[[dict[str, str]], Memory]


@pytest.mark.parametrize(
    "question",
    [
        "What is this project about?",
        "Describe this repository.",
        "What does gadget do?",
        "What is Gadget used for?",
        "what's the purpose of this library?",
    ],
)
def test_a_project_is_what_its_readme_begins_with(remember: Remember, question: str) -> None:
    memory = remember({"README.md": README, "pyproject.toml": '[project]\nname = "gadget"\n'})
    reply = ask(memory, question)
    assert reply.contract.answer == (
        "Gadget is a small toolbox for winding clocks. It needs no key [1]."
    )
    assert [c.path for c in reply.citations] == ["README.md"]
    assert reply.confidence.value >= 0.5


def test_a_manifest_says_what_its_package_is(remember: Remember) -> None:
    manifest = '{"name": "@shop/gizmo", "description": "Turns boats around"}'
    memory = remember({"README.md": README, "packages/gizmo/package.json": manifest})
    reply = ask(memory, "What does @shop/gizmo do?")
    assert reply.contract.answer == "`@shop/gizmo`: Turns boats around [1]."
    assert [c.path for c in reply.citations] == ["packages/gizmo/package.json"]


def test_what_the_readme_says_already_is_not_said_twice(remember: Remember) -> None:
    manifest = '[project]\nname = "gadget"\ndescription = "A toolbox for winding clocks"\n'
    memory = remember({"README.md": README, "pyproject.toml": manifest})
    assert ask(memory, "What is gadget?").contract.answer.count("winding") == 1


@pytest.mark.parametrize("question", ["How do I install this project?", "What is this?"])
def test_another_question_is_not_answered_so(remember: Remember, question: str) -> None:
    memory = remember({"README.md": README, "pyproject.toml": '[project]\nname = "gadget"\n'})
    assert "It needs no key" not in ask(memory, question).contract.answer


def test_what_a_project_is_does_not_say_what_it_depends_on(remember: Remember) -> None:
    memory = remember({"README.md": README, "pyproject.toml": '[project]\nname = "gadget"\n'})
    reply = ask(memory, "What does gadget depend on?")
    assert not reply.contract.answer.startswith("Gadget is a small toolbox")
    assert reply.confidence.value < ASSERT_ABOVE  # the lead may be quoted beside it, as a doubt


def test_what_is_said_of_something_else_does_not_say_what_a_project_is(remember: Remember) -> None:
    memory = remember(
        {
            "README.md": "# Gadget\n\nSmall clocks that wind themselves, for any wall.\n\n"
            "What it is wound with is an extra, as in `pip install 'gadget[key]'`.\n",
            "pyproject.toml": '[project]\nname = "gadget"\nversion = "1.0"\n',
        }
    )
    answer = ask(memory, "What is this project about?").contract.answer
    assert answer.startswith("Small clocks that wind themselves")
    assert "is an extra" not in answer


def test_brackets_in_code_stay_where_a_lead_is_quoted(remember: Remember) -> None:
    memory = remember(
        {"README.md": "# Gadget\n\nGadget is what `pip install 'gadget[key]'` brings to a wall.\n"}
    )
    answer = ask(memory, "What is this project about?").contract.answer
    assert "gadget[key]" in answer


def test_a_lead_may_end_with_the_colon_of_its_list(remember: Remember) -> None:
    memory = remember(
        {
            "README.md": "# gadget: clocks for Python\n\nTo see it, run:\n\n    gadget\n\n"
            "*gadget* is *the* tool for winding clocks:\n\n"
            "- **Simple**: Everything is about springs and hands.\n",
            "pyproject.toml": '[project]\nname = "gadget"\nrequires-python = ">=3.10"\n',
        }
    )
    answer = ask(memory, "What is this project about?").contract.answer
    assert answer.startswith("gadget is the tool for winding clocks")
    assert "Everything" not in answer
    assert "Python >=3.10" in ask(memory, "Which Python versions are supported?").contract.answer
