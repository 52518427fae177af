"""Whether a text holds the kind of thing that a question asks for.

"Which class …" is answered by nothing that names no class, "what is the default of …" by nothing
without a value. A thing that the question itself names is not the one it asks for.
"""

import re

from quipu.question import AnswerType, Kind, Question
from quipu.text import STOP_WORDS, name_key, stems, tokens

__all__ = ["holds", "wants"]

_HINTS: dict[AnswerType, re.Pattern[str]] = {
    "time": re.compile(
        r"\b1\d{3}\b|\b20\d{2}\b|\b(?:January|February|March|April|May|June|July|August|September"
        r"|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b"
    ),
    "number": re.compile(r"\b\d[\d.,]*\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b"),
    "reason": re.compile(
        r"\b(?:because|since|so that|in order to|due to|therefore|why|never|otherwise|avoids?"
        r"|avoided|prevents?|lest|too (?:slow|large|many|much|often)|the reason)\b|, so\b",
        re.IGNORECASE,
    ),
}
_SPAN = re.compile(r"`[^`]*`")
_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve twenty thirty hundred "
    "thousand million once twice daily hourly weekly monthly yearly"
).replace(" ", "|")
_SINGLE = frozenset({"one", "single"})
_PREPOSITIONS = frozenset("of in on at by for with from to".split())
_NAMED_TIME = (
    r"(January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b"
)
_PREDICATE = (
    "(?:is|was|has|had|will|would|can|could|does|did|may|might|should|and"
    rf"|(?!(?:{'|'.join(sorted(_PREPOSITIONS))}|the|an?)\b)[a-z]+ (?:the|an?|my|our|your|his|her"
    "|their|its|it|them|us|me|him|over|up|out))"
)
"""What stands behind a name that begins a sentence; at times behind another word."""
_THINGS: dict[Kind, re.Pattern[str]] = {
    "class": re.compile(
        r"\b(?:class|struct|interface|enum|trait|type|record|exception)\s+`?(\w+)"
        r"|\b((?:[A-Z]+[a-z0-9]+){2,})\b|\b([A-Z]\w+)\("
    ),
    "function": re.compile(
        r"\b(?:def|fn|func|function|sub|fun)\s+(\w+)|\b([a-z_]\w*)\(|`([a-z_][\w.]*)`"
    ),
    "version": re.compile(
        r"(?<![\w.])v?(\d+(?:\.\d+)+)(?!\w)|\bv(\d+)\b"
        r"|\b(?:(?i:versions?|releases?)|[A-Z]\w+)[ =:\"'`<>~^]{1,4}v?(\d+)(?![\w.])"
    ),
    "default": re.compile(
        r"[\w\])\"'] ?=(?!=) ?(?![\w.]+\[)(\S)"
        r"|\bdefaults?(?: values?)?(?: \w+){0,4}? (?:to|is|are|of) (\S)"
        r"|\bby default\b(.)?|\bdefaults?\W{1,3}([`\"'\d]\S*)|\| ?`?([-\w\"'.]+)`? ?\|"
        r"|\((\d[\w.]*|None|True|False)\)",
        re.IGNORECASE,
    ),
    "number": re.compile(rf"\b(\d[\d.,_]*)\b|\b((?i:{_NUMBER_WORDS}))\b"),
    "variable": re.compile(r"\b([A-Z][A-Z0-9]*_[A-Z0-9_*]+|[A-Z]{4,})(?![a-z])"),
    "person": re.compile(
        r"(@[\w][\w/-]*|\b[\w.+-]+@[\w-]+\.\w+)|\b([A-Z][a-zà-ÿ'’-]+ (?:(?:de|van|von|der|of) )*"
        r"(?:[A-Z]\. )*[A-Z][a-zà-ÿ][\w'’-]*)|\b([Tt]eam \w+|the \w+ team)\b"
        rf"|(?<=[a-z,] )(?!{_NAMED_TIME})([A-Z][a-zà-ÿ]{{2,}})\b"
        rf"|(?:^|(?<=[.!?:] ))(?!{_NAMED_TIME})([A-Z][a-zà-ÿ]{{2,}})(?= {_PREDICATE}\b)"
    ),
    "date": re.compile(rf"\b(1\d{{3}}|20\d{{2}})\b|\b{_NAMED_TIME}"),
    "condition": re.compile(
        r"\b(when|if|after|before|once|until|unless|every|each|while|whenever|as soon as|never"
        r"|always|at|on|where|only|in case|from|between|during|since|till|daily|weekly|monthly"
        r"|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|\d{1,2} ?[ap]m|(?:half|quarter) (?:past|to)"
        r"|noon|midnight|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
        r"|\d{1,2} (?:january|february|march|april|may|june|july|august|september|october"
        r"|november|december))\b",
        re.IGNORECASE,
    ),
    "money": re.compile(
        r"([$€£¥] ?\d|\d[\d.,]* ?(?:dollars|euros?|pounds|cents|USD|EUR|GBP)\b"
        r"|\d[\d.,]*k? ?(?:(?:a|an|per|each|every) |/ ?)(?:hour|day|week|month|quarter|year)\b)"
    ),
}
_PROSE_ONLY: frozenset[Kind] = frozenset({"person", "date", "money", "condition"})
_BY_CAPITALS_OR_WORDS: frozenset[Kind] = frozenset({"person", "condition"})
_CODE: frozenset[Kind] = frozenset({"class", "function"})
_DETAILS = re.compile(r"(\b(?:class|def|fn|func|function) \w+)(?:\[[^\]`]*\])?\([^`]*")
_COUNTED = re.compile(r"\bhow many (\w+)", re.IGNORECASE)
_BEFORE, _AFTER = 4, 3
_INHERITING = re.compile(r"\b(?:inherit|extend|subclass|base|parent|derive)\w*\b", re.IGNORECASE)
_BASES = re.compile(r"\bclass (\w+)(?:<[^>]*>)?(?:\([^)\s]|\s+extends\s|\s*:\s*public\s)")


def wants(answer_type: AnswerType, text: str) -> bool:
    """Whether `text` holds the kind of thing that is wanted."""
    hint = _HINTS.get(answer_type)
    return hint is not None and hint.search(text) is not None


def holds(kind: Kind, text: str, question: Question) -> bool:
    """Whether `text` holds a thing of that kind that is not a word of `question` itself.

    Names of people, dates and conditions are looked for outside code. Capitals and English words
    show none in a script without capitals: such a text may hold one.
    """
    if kind in _BY_CAPITALS_OR_WORDS and _is_caseless(text):
        return True
    if kind == "class" and _INHERITING.search(question.text):
        found = _BASES.search(text)
        return found is not None and re.search(rf"\b{found[1]}\b", question.text) is not None
    written = _SPAN.sub(" ", text) if kind in _PROSE_ONLY else text
    if kind in {"class", "function"}:
        written = _DETAILS.sub(r"\1 ", written)
    if kind == "number" and (counted := _COUNTED.search(question.text)):
        return _is_counted(counted[1], text)
    words = re.findall(r"[\w@.$€£-]+", question.text)
    asked = set(words) if kind in _CODE else {name_key(word) for word in words}
    for match in _THINGS[kind].finditer(written):
        if kind in {"default", "condition"}:
            return True
        thing = next((group for group in match.groups() if group), "")
        if kind == "person" and all(w in asked | STOP_WORDS for w in name_key(thing).split()):
            continue
        if thing and (thing if kind in _CODE else name_key(thing)) not in asked:
            return True
    return False


def _is_caseless(text: str) -> bool:
    """Whether most letters are of a script that knows no capitals."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(letter.upper() == letter.lower() for letter in letters) > len(letters)


def _is_counted(what: str, text: str) -> bool:
    """Whether a number stands beside what is counted: "five kinds", "kinds of record: 5", "one
    reviewer"; not "one of the kinds", "of one kind"."""
    words = tokens(text)
    counted = set(stems(what))
    numbers = [
        i
        for i, token in enumerate(words)
        if token.word != "one" and _THINGS["number"].fullmatch(token.word)
    ]
    things = [i for i, token in enumerate(words) if token.word and counted & set(stems(token.word))]
    single = any(
        t and words[t - 1].word in _SINGLE and (t < 2 or words[t - 2].word not in _PREPOSITIONS)
        for t in things
    )
    return single or any(-_BEFORE <= n - t <= _AFTER for n in numbers for t in things)
