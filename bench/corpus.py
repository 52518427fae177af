"""A seeded synthetic corpus: Markdown files with headings, names, links and Zipf words.

It is made to cost what real text costs: about 120 words and 17 names a passage, a vocabulary of
40,000 words, 25,000 names, links between neighbouring files.
"""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path

_ONSETS = "b c d f g h j k l m n p r s t v w br cr dr fl gr pl pr sl st tr th sh ch".split()
_NUCLEI = "a e i o u ai ea ou io ee".split()
_CODAS = " n r s t l m d ck nd rt st ng".split(" ")
_GLUE = "the of and to in is was for on with that by from as at which it has been are".split()
_PASSAGES_PER_FILE = 20
_FILES_PER_FOLDER = 100


class Words:
    """Pronounceable words and names, drawn with Zipf frequencies."""

    def __init__(self, seed: int, *, words: int = 40_000, names: int = 25_000) -> None:
        """Make both vocabularies from `seed`."""
        self.random = random.Random(seed)
        self.words = self._distinct(words)
        self._word_weights = list(accumulate(1 / (rank + 8) for rank in range(words)))
        first = [word.capitalize() for word in self._distinct(3_000)]
        last = [word.capitalize() for word in self._distinct(6_000)]
        self.names = sorted(
            {f"{self.random.choice(first)} {self.random.choice(last)}" for _ in range(names)}
        )
        self.random.shuffle(self.names)
        self._name_weights = list(accumulate(1 / (rank + 20) for rank in range(len(self.names))))

    def _distinct(self, count: int) -> list[str]:
        made: dict[str, None] = {}
        while len(made) < count:
            syllables = self.random.choice((1, 2, 2, 3))
            made["".join(self._syllable() for _ in range(syllables))] = None
        return list(made)

    def _syllable(self) -> str:
        pick = self.random.choice
        return pick(_ONSETS) + pick(_NUCLEI) + pick(_CODAS)

    def some_words(self, count: int) -> list[str]:
        """`count` content words by frequency."""
        return self.random.choices(self.words, cum_weights=self._word_weights, k=count)

    def some_names(self, count: int) -> list[str]:
        """`count` names by frequency."""
        return self.random.choices(self.names, cum_weights=self._name_weights, k=count)

    def sentence(self) -> str:
        """About fourteen words, two of them names."""
        words = self.some_words(6)
        names = self.some_names(2)
        glue = self.random.choices(_GLUE, k=5)
        return (
            f"{names[0]} {glue[0]} {words[0]} {words[1]} {glue[1]} {glue[2]} {words[2]} "
            f"{words[3]} {glue[3]} {names[1]} {glue[4]} {words[4]} {words[5]}."
        )

    def passage(self) -> str:
        """Eight sentences, about 120 words."""
        return " ".join(self.sentence() for _ in range(8))

    def question(self) -> str:
        """A natural question of 8 to 15 words about one or two names."""
        words = self.some_words(4)
        names = self.some_names(2)
        forms = (
            f"What is the {words[0]} of the {words[1]} that {names[0]} found for {names[1]}?",
            f"Which {words[0]} {words[1]} did {names[0]} have in the {words[2]} before?",
            f"Who was with {names[0]} when the {words[0]} {words[1]} came to the {words[2]}?",
            f"How does the {words[0]} {words[1]} work in the {words[2]} of {names[0]}?",
        )
        return self.random.choice(forms)


def write_corpus(folder: Path, passages: int, *, seed: int = 7) -> int:
    """Write about `passages` passages of Markdown under `folder`; returns the number of files."""
    words, files = Words(seed), max(1, passages // _PASSAGES_PER_FILE)
    for number in range(files):
        part = folder / f"part{number // _FILES_PER_FOLDER:03d}"
        part.mkdir(parents=True, exist_ok=True)
        (part / f"page{number:05d}.md").write_text(_page(words, number), encoding="utf-8")
    return files


def _page(words: Words, number: int) -> str:
    title = " ".join(words.some_names(1) + [w.capitalize() for w in words.some_words(1)])
    lines = [f"# {title}", ""]
    for _ in range(_PASSAGES_PER_FILE):
        lines += [f"## {words.some_names(1)[0]}", "", words.passage(), ""]
    if number % _FILES_PER_FOLDER:
        lines.append(f"See also [the page before](page{number - 1:05d}.md).")
    return "\n".join(lines) + "\n"
