"""A question, read once: its words, names, time, versions, and what it asks for.

Built where a question comes in and passed to every stage. A part is read when a stage first asks
for it, and never again.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from quipu.language import Language, language_of
from quipu.limits import LONGEST_LINE
from quipu.question.asked_for import (
    ASKING,
    CODE_NOISE,
    AnswerType,
    Needed,
    answer_type_of,
    asks_for,
    needed_in_answer,
    says,
)
from quipu.question.names import capitals_tell, identifiers_of, runs_of, surfaces_of, written_names
from quipu.records.mentions import Mention, find_mentions
from quipu.text import STOP_WORDS, Token, fold, own_stems, split_identifier, stem_words, tokens
from quipu.when import QuestionTime, TimeSpan, find_spans, read_question_time, without

__all__ = ["AnswerType", "Question", "read_question", "versions_in"]

_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+(?:-[a-z]+[\w.]*|[a-z]+\d*)?)(?![\w]|\.\d)")


@dataclass(frozen=True)
class Question:
    """A question. Two with the same text are equal."""

    text: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its words with their places, in order."""
        text = self.language.without_function_words(self.text) if self.language else self.text
        return tuple(word for word in tokens(text) if word.word)

    @cached_property
    def language(self) -> Language | None:
        """The language that it is in; None for English, and where nothing tells which it is."""
        return language_of(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its distinct words, stop words included."""
        return frozenset(token.word for token in self.tokens)

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Its distinct words that are no stop words, in order."""
        return tuple(token.word for token in self._content)

    @cached_property
    def _content(self) -> tuple[Token, ...]:
        """A token for each of `content`."""
        asking = self.language.words if self.language else frozenset[str]()
        telling = [t for t in self.tokens if t.word not in STOP_WORDS]
        own = [t for t in telling if self.text[t.start : t.end].lower() not in asking] or telling
        first: dict[str, Token] = {}
        for token in own:
            first.setdefault(token.word, token)
        return tuple(first.values())

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The distinct stems of `content`, in order."""
        return tuple(dict.fromkeys(self._stemmed))

    @cached_property
    def stem_set(self) -> frozenset[str]:
        """The same as a set."""
        return frozenset(self.stems)

    @cached_property
    def _stemmed(self) -> list[str]:
        return own_stems(self.text, self._content)

    @cached_property
    def content_stems(self) -> tuple[int, ...]:
        """For each of `content` the place of its stem in `stems`."""
        return tuple(map(self.stems.index, self._stemmed))

    @cached_property
    def stem_parts(self) -> tuple[tuple[str, ...], ...]:
        """For each of `stems` the stems that code is indexed by: those of the parts of a word that
        is written as an identifier ("HTTPServer"), else itself."""
        parts: dict[str, tuple[str, ...]] = {}
        for word in self.tokens:
            written = self.text[word.start : word.end]
            split = split_identifier(written)
            if len(split) > 1 and "'" not in written:
                parts.setdefault(stem_words([word.word])[0], tuple(stem_words(split)))
        return tuple(parts.get(stem, (stem,)) for stem in self.stems)

    @cached_property
    def code_stems(self) -> tuple[str, ...]:
        """The stems by which it is looked for in code."""
        parts = [
            part
            for word in fold(self.text).split()
            for part in split_identifier(word)
            if part not in STOP_WORDS
        ]
        telling = [part for part in parts if part not in CODE_NOISE] or parts
        return tuple(dict.fromkeys(stem_words(telling)))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The names that rules find in it, with their places, in order."""
        return tuple(find_mentions(self.text))

    @cached_property
    def name_keys(self) -> tuple[str, ...]:
        """The keys of `mentions`, each once."""
        return tuple(dict.fromkeys(mention.key for mention in self.mentions))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What it names, as it is written there: what is quoted, identifiers, paths, capitals."""
        found = written_names(self.text[:LONGEST_LINE])
        if self.language is None or not self.language.capital_nouns:
            return found
        return tuple(name for name in found if not name.isalpha() or not name.istitle())

    @cached_property
    def runs(self) -> tuple[tuple[int, int, str], ...]:
        """Every run of up to twelve words that may be a name or a title, as (start, end, text),
        longest first at each start."""
        return tuple(runs_of(self.text, self.tokens))

    @cached_property
    def surfaces(self) -> tuple[str, ...]:
        """The folded spans that an entity's name may equal."""
        return tuple(surfaces_of(self.text, self.tokens))

    @cached_property
    def capitals_tell(self) -> bool:
        """False where nearly every word has a capital, as in a headline, or every noun, or none
        has."""
        nouns = self.language is not None and self.language.capital_nouns
        return not nouns and capitals_tell(self.text, self.tokens)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The identifiers that it consists of; none where it says anything else."""
        return identifiers_of(self.text)

    @cached_property
    def versions(self) -> tuple[str, ...]:
        """The versions that it names ("5.0.1")."""
        return versions_in(self.text)

    @cached_property
    def of_releases(self) -> bool:
        """Whether it is about what some version brought, changed or took away."""
        return says("releases", self.text)

    @cached_property
    def of_doing(self) -> bool:
        """Whether it asks how one does something."""
        return says("doing", self.text)

    @cached_property
    def spans(self) -> tuple[TimeSpan, ...]:
        """The times that it names, those told from a day ("yesterday") aside."""
        return _spans(self.text, None)

    def spans_from(self, now: str) -> tuple[TimeSpan, ...]:
        """The times that it names, those told from the instant `now` ("yesterday") too."""
        return _spans(self.text, now)

    @cached_property
    def undated(self) -> "Question":
        """The question without the dates that it names; itself where nothing else is left."""
        return self.without([span for span in self.spans if span.dated])

    def without(self, spans: list[TimeSpan]) -> "Question":
        """The question without some of its times; itself where nothing else is left."""
        return read_question(without(self.text, spans) or self.text) if spans else self

    def time(self, now: str | None = None) -> QuestionTime:
        """The time it asks about; `now` is the instant that "last spring" is seen from."""
        return _time(self.text, now)

    @cached_property
    def answer_type(self) -> AnswerType:
        """The type of answer that it wants."""
        return answer_type_of(self.text[:LONGEST_LINE])

    @cached_property
    def needed(self) -> Needed | None:
        """What stands in every answer to it: a number, or a moment."""
        return needed_in_answer(self.text[:LONGEST_LINE])

    @cached_property
    def subject(self) -> tuple[str, ...]:
        """The stems that say what it is about: not those that only ask."""
        return tuple(stem for stem in self.stems if stem not in ASKING)

    @cached_property
    def takes_yes_or_no(self) -> bool:
        """Whether it is answered by yes or no, whatever time it asks about."""
        return says("yes_or_no", self.text)

    @cached_property
    def asks_yes_or_no(self) -> bool:
        """Whether it is about the present and answered by yes or no."""
        return says("yes_or_no_now", self.text)

    @cached_property
    def of_past(self) -> bool:
        """Whether it may be about what was, so that what holds no more answers it as well."""
        return says("past", self.text)

    def asks_for(self, relation: str) -> tuple[bool, bool]:
        """Whether it asks for (targets, sources) of the relations of a type."""
        return asks_for(self.text, relation)


@lru_cache(maxsize=256)
def read_question(text: str) -> Question:
    """`text` as a question; the same text gives the same object while it is remembered."""
    return Question(text)


@lru_cache(maxsize=256)
def _spans(text: str, now: str | None) -> tuple[TimeSpan, ...]:
    return tuple(find_spans(text, now=now))


@lru_cache(maxsize=256)
def _time(text: str, now: str | None) -> QuestionTime:
    return read_question_time(text, now=now)


def versions_in(text: str) -> tuple[str, ...]:
    """The versions that `text` names, "5.0.1" of "v5.0.1", in order; one number alone is none."""
    return tuple(dict.fromkeys(match[1] for match in _VERSION.finditer(text)))
