"""Words as the treebank cuts them ("don't" is "do" and "n't"), and what is said of one: its lemma.

Pure; every word knows its characters in the text.
"""

import re
from collections.abc import Iterator, Mapping

__all__ = ["lemma_of", "rule_lemma", "split_words"]

_WORD = re.compile(
    r"""
      https?://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]+       # addresses
    | (?:[A-Za-z]\.){2,}                                    # U.S.
    | [A-Z]\.(?=\s[A-Z])
    | (?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|Inc|Ltd|Co|Corp|No)\.
    | \d+(?:[.,:/-]\d+)*(?:[a-zA-Z]+(?![\w-]))?             # 1,000.50 10:30 2027-05-04 5k 4th
    | [^\W\d_]+(?:-[^\W\d_]+)*n['’]t\b
    | [\w@#]+(?:[-_./&+][\w]+)*[+#]*
    | \.{2,}|…|-{2,}|={2,}|[!?]{2,}|:-?[)(]
    | ['’](?:s|m|re|ve|ll|d)\b
    | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NEGATED = re.compile(r"(?i)^(.+?)(n['’]t)$")
_JOINED = re.compile(r"(?i)^(can)(not)$|^(gon|wan|got)(na|ta)$")
_HYPHEN = re.compile(r"(?:[^\W\d_]{3,}|\d+)(?:-[^\W\d_]{2,})+")
_PREFIXES = ("non-", "pre-", "mid-", "post-", "anti-", "semi-", "pro-", "re-", "co-", "ex-", "e-")
_BEFORE_VERBS = ("re", "over", "under", "out", "un", "fore")
_VOWELS = "aeiou"


def split_words(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The spans of the words and marks of `text[start:end]`, in order."""
    found: list[tuple[int, int]] = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        found.extend(_cut(match.group(), match.start()))
    return found


def _cut(word: str, at: int) -> Iterator[tuple[int, int]]:
    if held := _NEGATED.match(word):
        yield at, at + held.end(1)
        yield at + held.start(2), at + len(word)
    elif joined := _JOINED.match(word):
        first = joined.end(1) if joined[1] else joined.end(3)
        yield at, at + first
        yield at + first, at + len(word)
    elif _HYPHEN.fullmatch(word) and not word.lower().startswith(_PREFIXES):
        for part in re.finditer(r"-|[^-]+", word):
            yield at + part.start(), at + part.end()
    else:
        yield at, at + len(word)


def lemma_of(form: str, tag: str, exceptions: Mapping[str, str]) -> str:
    """The word as a dictionary lists it, in lower case; `exceptions` by `form/tag` come first."""
    low = form.lower().replace("’", "'")
    known = exceptions.get(f"{low}/{tag}")
    if known is None and tag == "VERB":  # "rewrote" as "wrote"
        prefix = next((each for each in _BEFORE_VERBS if low.startswith(each)), "")
        other = exceptions.get(f"{low.removeprefix(prefix)}/{tag}") if prefix else None
        known = prefix + other if other else None
    return known or rule_lemma(low, tag)


def rule_lemma(low: str, tag: str) -> str:
    """The lemma that the rules of spelling give."""
    if tag == "VERB":
        return _verb(low)
    if tag == "NOUN" and len(low) > 3:
        return _singular(low)
    return low


def _singular(low: str) -> str:
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return low[:-2]
    return low[:-1] if low.endswith("s") and not low.endswith(("ss", "us", "is")) else low


def _verb(low: str) -> str:
    for ending in ("ing", "ed"):
        if low.endswith(ending) and any(c in "aeiouy" for c in low[: -len(ending)]):
            if ending == "ed" and low.endswith("ied") and len(low) > 4:
                return low[:-3] + "y"
            return _restored(low[: -len(ending)])
    if len(low) > 3 and low.endswith("s"):
        return _singular(low)
    return low


def _restored(stem: str) -> str:
    """The stem of "moved", "planned", "created" with or without the letter that was lost."""
    if len(stem) < 3:
        return stem + "e" if len(stem) == 2 and stem[0] in _VOWELS else stem
    last, before = stem[-1], stem[-2]
    if last == before and last not in "lsfz" + _VOWELS:
        return stem[:-1]
    if last in "cvuz" or (stem.endswith("at") and stem[-3] not in "eo"):
        return stem + "e"
    if last in "sg" and before not in "sgno":
        return stem + "e"
    if stem.endswith(("iz", "bl", "pl", "tl", "dl", "gl", "id", "ud", "ir", "ur", "ib", "chang")):
        return stem + "e"
    short = before in _VOWELS and stem[-3] not in _VOWELS and last in "tdkmnrlp"
    return stem + "e" if short and _is_one_syllable(stem) else stem


def _is_one_syllable(stem: str) -> bool:
    return len(re.findall(r"[aeiouy]+", stem)) == 1
