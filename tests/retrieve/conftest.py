"""A small memory with titles, names that tie passages to each other, and one piece of code."""

from collections.abc import Iterator

import pytest

from quipu.domain.passage import PassageInput
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

PASSAGES = (
    ("song", "Hello Love", "Hello Love is a song performed by Hank Snow in the spring."),
    ("singer", "Hank Snow", "Clarence Eugene Snow was an artist who lived in Nashville."),
    ("twin", "Snow", "The record of Hank Snow sold well in many shops."),
    ("city", "Nashville", "Nashville is a city. It is the capital of Tennessee."),
    ("fruit", "Bananas", "Bananas are yellow and grow in warm places."),
)
CODE = 'def peel_banana(fruit):\n    """Take the peel off a banana."""\n    return fruit.inner\n'
QUESTION = "Where did the artist who performed Hello Love live?"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("memory:", embedder=HashEmbedder()) as opened:
        opened.add_documents(
            [
                PassageInput(source_ref=ref, title=title, text=text, profile="prose")
                for ref, title, text in PASSAGES
            ]
            + [PassageInput(source_ref="peel.py", text=CODE, profile="code")]
        )
        yield opened
