"""Windows of a passage: what may be quoted as it stands, and how it is quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer import answer
from quipu.answer.contract import cited
from quipu.answer.examine import violations
from quipu.answer.intent import understand
from quipu.answer.windows import MOST, MOST_OF_LIST, quoted, windows
from quipu.memory import Memory

NOW = "2026-11-22T01:05:00.000Z"
GUIDE = """---
owner: nobody
---
# Deploying

To deploy, run:

```sh
make image
make push
```

Undo it with these steps:

- stop the service
- put the old image back

"""


def said(text: str, *, code: bool = False, title: str = "") -> list[str]:
    found = windows(text, code=code)
    return [quoted(text, window, code=code, title=title) for window in found]


def test_a_sentence_brings_the_code_it_leads_to() -> None:
    assert "To deploy, run:\n```\nmake image\nmake push\n```" in said(GUIDE)


def test_a_list_is_quoted_whole() -> None:
    listed = "Undo it with these steps:\n- stop the service\n- put the old image back"
    assert listed in said(GUIDE)


def test_a_heading_alone_and_front_matter_say_nothing() -> None:
    assert "Deploying" not in said(GUIDE)
    assert not any("owner" in each for each in said(GUIDE))
    assert not any("Deploying" in each for each in said(GUIDE, title="Deploying"))


def test_code_keeps_its_lines_and_loses_what_all_are_indented_by() -> None:
    text = "    if late:\n        retry()\n"
    assert said(text, code=True) == ["```\nif late:\n    retry()\n```"]


def test_the_notice_of_a_file_is_not_quoted() -> None:
    notice = "// Copyright 2016 Acme. All rights reserved.\n// Use is governed by a licence."
    assert said(f"{notice}\n\nmask()\n", code=True) == ["```\nmask()\n```"]
    assert any("of copies" in each for each in said("// The number of copies.\nn = 1\n", code=True))


def test_paragraphs_and_items_of_a_comment_are_quoted_apart() -> None:
    features = "\n".join(
        f"//! - `{name}`: what {name} does,\n//!   and more" for name in "abcdefgh"
    )
    found = said(f"//! What there is:\n//!\n{features}", code=True)
    assert "```\n//! What there is:\n```" in found
    assert all(each.startswith("```\n//! - ") for each in found if "does" in each)


SIGNALS = "\n\n".join(f"# Sent {n}.\nsignal_{n} = signal({n!r})" for n in "abcdef")


def test_a_list_that_is_asked_for_is_quoted_over_blank_lines() -> None:
    whole = [w.text for w in windows(SIGNALS, most=MOST_OF_LIST)]
    assert SIGNALS in whole
    assert all(w.last - w.first <= MOST for w in windows(SIGNALS))


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("List the signals", True),
        ("Which hooks can I implement?", True),
        ("all exit codes", True),
        ("What values are allowed?", True),
        ("Which tools does the server offer?", True),
        ("Which status does it have?", False),
        ("Which class signs the cookie?", False),
        ("Which versions can corrupt a database?", False),
        ("What triggers this?", False),
        ("How does it run at all?", False),
        ("How often does it run every day?", False),
        ("What is the limit?", False),
    ],
)
def test_a_question_says_whether_it_asks_for_several_things(question: str, several: bool) -> None:
    assert understand(question).several is several


def test_what_stands_within_a_function_says_so(remember) -> None:
    body = "\n".join(f"    step_{n}(folder)\n" for n in range(12))
    memory = remember(
        {
            "src/load.py": f"def load_settings(folder):\n{body}\n"
            "    # The dotenv file is read last, so that it wins over the environment.\n"
            "    return read_dotenv(folder)\n"
        }
    )
    found = memory.search("Is the dotenv file read last, over the environment?")
    reply = answer(found.plan.question, found, memory.store, clock=lambda: NOW, floor=0.0)
    assert "In `load_settings`:\n```" in reply.contract.answer
    assert "read last, so that it wins" in reply.contract.answer


@given(st.text(alphabet="ab `[1],\n\t-#~\x00\u202e", max_size=400), st.booleans())
def test_no_window_forges_a_mark_or_reaches_the_terminal(text: str, code: bool) -> None:
    for window in windows(text):
        shown = quoted(text, window, code=code)
        assert cited(shown) == []
        assert "\x00" not in shown
        assert "\u202e" not in shown
        assert window.last - window.first <= MOST


@given(st.lists(st.sampled_from(["x = 1", "", "y = 2"]), max_size=60))
def test_every_line_that_says_something_stands_in_a_window(lines: list[str]) -> None:
    text = "\n".join(lines)
    held = {n for window in windows(text) for n in range(window.first, window.last + 1)}
    assert {n for n, line in enumerate(lines) if line} <= held


@pytest.mark.parametrize("question", ["How do I deploy?", "How is a deployment undone?"])
def test_an_answer_of_several_lines_holds_the_contract(remember, question: str) -> None:
    memory: Memory = remember({"docs/deploying.md": GUIDE})
    found = memory.search(question)
    reply = answer(question, found, memory.store, clock=lambda: NOW, floor=0.0)
    assert violations(reply, memory.store) == []
    assert "\n" in reply.contract.answer


@pytest.mark.parametrize(
    "code",
    [
        "from shop.cart import Cart\nfrom shop.till import (\n    Till,\n    close,\n)\n",
        'import (\n\t"fmt"\n\t"net/http"\n)\n',
        "const { a, b } = require('./cart');\nvar c = require('c');\n",
        "use std::io;\nuse std::fmt;\n",
        '#include <stdio.h>\n#include "cart.h"\n',
        "import java.util.List;\nimport java.util.Map;\n",
    ],
)
def test_imports_are_no_answer(code: str) -> None:
    assert not any(said(code, code=True))
    assert said(f"{code}limit = 3;\n", code=True) == ["```\nlimit = 3;\n```"]


def test_what_stands_among_imports_is_quoted_without_them() -> None:
    code = "import os\nimport sys\nLIMIT = 3\nfrom shop import cart\n"
    assert said(code, code=True) == ["```\nLIMIT = 3\n```"]


def test_a_list_is_cut_between_its_items() -> None:
    items = "\n".join(f"- Add option {n}\n  for the {n}th oven." for n in range(9))
    firsts = [window.text.lstrip() for window in windows(items)]
    assert len(firsts) > 2
    assert all(text.startswith("- Add") and text.endswith("oven.") for text in firsts)


@pytest.mark.parametrize(
    ("question", "answer_type"),
    [
        ("when is a timeout raised", "time"),
        ("default timeout when the oven is hot", "any"),
        ("this is thrown, when?", "time"),
        ("where do keys end up on disk", "place"),
        ("turn minutes into hours everywhere", "manner"),
        ("remove the lid from the pot", "manner"),
        ("name of the lid to use", "any"),
        ("lid that is used from now on", "any"),
        ("reason for dropping the lid", "reason"),
        ("which source file draws the lid?", "path"),
        ("Lid class location", "path"),
    ],
)
def test_what_a_question_wants_stands_in_its_main_clause(question: str, answer_type: str) -> None:
    assert understand(question).answer_type == answer_type


def test_a_message_that_is_quoted_is_no_name() -> None:
    asked = understand("\"Multiple ovens with name 'Hot' were found\" how do I get rid of this")
    assert asked.names == ()
    assert understand("what does 'json sort keys' do").names == ("json sort keys",)


@given(st.text(alphabet="ab `~[1],\n\t ${}'", max_size=300))
def test_every_line_of_code_that_is_quoted_stands_in_the_passage(text: str) -> None:
    lines = text.split("\n")
    for window in windows(text, code=True):
        shown = quoted(text, window, code=True).split("\n")
        if shown == [""]:
            continue
        assert shown[0] == shown[-1]
        assert len(shown) == window.last - window.first + 3
        for line, stands in zip(shown[1:-1], lines[window.first : window.last + 1], strict=True):
            assert stands.rstrip().endswith(line)
        assert cited("\n".join(shown)) == []


def test_a_fence_is_longer_than_those_inside_it() -> None:
    code = "const page = `\n  ```js\n  x[1]\n  ```\n`;"
    assert said(code, code=True) == [f"````\n{code}\n````"]


def test_tabs_and_a_cut_are_shown_as_they_are() -> None:
    (shown,) = said(f"if x:\n\ty = [1]\n\tz = '{'a' * 300}'\n", code=True)
    lines = shown.split("\n")
    assert lines[2] == "\ty = [1]"
    assert lines[3].endswith("…")
    assert len(lines[3]) == 240
