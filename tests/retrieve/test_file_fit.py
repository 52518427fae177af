"""Passages of files are ordered by how well they fit an ordinary question."""

from collections.abc import Callable

import pytest

from quipu.memory import Memory
from quipu.records.reply import Hit

Tree = Callable[[dict[str, str]], None]
SOURCE = (
    "def open_session(retries=3):\n"
    '    """Open a session; the retry limit of a session is how often it is tried."""\n'
    "    return connect(retries)\n"
)
SAYS = "The retry limit of a session is what a session has as its retry limit. "
TREE = {
    "src/session.py": SOURCE,
    "tests/test_session.py": "def test_open_session():\n"
    '    """The retry limit of a session: session retry limit."""\n'
    "    assert session.retry_limit == 3\n",
    "CHANGES.md": "# Changes\n\n## 2.0\n\n- " + SAYS * 2 + "\n",
    "docs/other.md": "# Other\n\nA session has no limit here. " + SAYS + "\n",
}
QUESTION = "What is the retry limit of a session?"


def _files(hits: tuple[Hit, ...]) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in hits))


def test_the_source_comes_before_what_tests_and_tells_of_it(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    hits = memory.search(QUESTION).hits
    assert _files(hits)[0] == "src/session.py"
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    parts = hits[0].why_ranked.parts
    assert 0 < parts["words"] <= 1
    assert 0 <= parts["title"] <= parts["words"]


def test_a_title_that_says_it_comes_before_words_in_passing(memory: Memory, tree: Tree) -> None:
    filler = "Nothing else is said in this place about anything at all. " * 12
    tree(
        {
            "docs/passing.md": f"# Notes\n\n{filler}Blue green deployment is one way. {filler}\n",
            "docs/deployment.md": f"# Blue green deployment\n\nTwo halls, one is live. {filler}\n",
            "src/hall.py": "def switch(hall):\n    return hall\n",
        }
    )
    memory.index()
    found = _files(memory.search("How does blue green deployment switch a hall?").hits)
    assert found.index("docs/deployment.md") < found.index("docs/passing.md")


RELEASES = {
    "src/shop.py": "def fill(it):\n"
    '    """Fill the cart; a cart is a cart of things."""\n    return cart\n',
    "CHANGES.md": "# Changes\n\n## 2.1.0 (2026-02-01)\n\n- The cart holds things.\n\n"
    "## 2.0.1 (2026-01-01)\n\n- Things were renamed.\n",
}


def test_what_a_release_brought_is_in_the_list_of_them(memory: Memory, tree: Tree) -> None:
    tree(RELEASES)
    memory.index()
    assert _files(memory.search("How do I fill a cart?").hits)[0] == "src/shop.py"
    assert _files(memory.search("Which release brought the cart?").hits)[0] == "CHANGES.md"


GUIDE = {
    "src/courier.py": "def send_parcel(parcel, insured=False):\n"
    '    """Send a parcel; whoever wants to send an insured parcel sends a parcel that is '
    'insured."""\n    return post(parcel, insured)\n',
    "docs/parcels.md": "# Send parcels\n\nTo send an insured parcel, call it `insured=True`.\n",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How do I send an insured parcel?", "docs/parcels.md"),
        ("how to send an insured parcel", "docs/parcels.md"),
        ("How can we send an insured parcel?", "docs/parcels.md"),
        ("Which function does send an insured parcel?", "src/courier.py"),
        ("How does an insured parcel get sent?", "src/courier.py"),
    ],
)
def test_how_something_is_done_is_shown_by_documentation(
    memory: Memory, tree: Tree, question: str, first: str
) -> None:
    tree(GUIDE)
    memory.index()
    assert _files(memory.search(question).hits)[0] == first
