"""A question that is an identifier finds where it stands as it is written."""

from collections.abc import Callable

import pytest

from quipu.errors import UnknownRecord
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.question import read_question

Tree = Callable[[dict[str, str]], None]
ABOUT = "# FST err ctp body too large {n}\n\n" + "FST err, ctp, body too large. " * 4 + "{n}\n"
TREE = {
    **{f"docs/b{n}.md": ABOUT.format(n=n) for n in range(12)},
    "docs/errors.md": "# All of them\n\n"
    + "Nothing that matters is said here. " * 30
    + "\n\nFST_ERR_CTP_BODY_TOO_LARGE: see the limit.\n",
    "src/near.py": "def raise_it():\n    return 'FST_ERR_CTP_BODY_TOO_LARGE_2'\n",
    "src/err.py": "def fst_err_ctp_body_too_large(x):\n"
    '    """Raise the fst err ctp body too large."""\n    raise ValueError("too large body err")\n',
}


@pytest.mark.parametrize("marks", ["{}", "`{}`?"])
def test_an_identifier_comes_first_where_it_stands(memory: Memory, tree: Tree, marks: str) -> None:
    tree(TREE)
    memory.index()
    hits = memory.search(marks.format("FST_ERR_CTP_BODY_TOO_LARGE")).hits
    assert hits[0].path == "docs/errors.md"
    assert "FST_ERR_CTP_BODY_TOO_LARGE: see" in hits[0].text
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("charge_card", ("charge_card",)),
        ("`charge_card()`?", ("charge_card()",)),
        ("Store.write HTTPServer2x", ("Store.write", "HTTPServer2x")),
        ("What does charge_card do?", ()),
        ("retry policy", ()),
        ("", ()),
    ],
)
def test_only_questions_that_are_nothing_else(question: str, found: tuple[str, ...]) -> None:
    assert read_question(question).identifiers == found


def test_a_commit_is_known_by_the_beginning_of_its_hash(memory: Memory) -> None:
    shas = ["abcd" + f"{n:036x}" for n in (1, 2)] + ["1234567" + "e" * 33]
    memory.add_commits(
        [CommitInput(sha=sha, message=f"Change {sha[-3:]}", time="2026-01-01") for sha in shas]
    )
    for short in ("1234", "1234567", "commit:12345", shas[2]):
        assert str(getattr(memory.get(short), "properties", {}).get("file_path")).endswith(shas[2])
    with pytest.raises(UnknownRecord, match="2 commits"):
        memory.get("abcd")
    with pytest.raises(UnknownRecord, match="nothing is known"):
        memory.get("ffff")
