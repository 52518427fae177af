"""Dated statements: "Ann Lee was the chair of Acme from Jan 2006 to Jan 2015".

A sentence with a time of its own, a name before a verb of the list, and something after it. No
verb of the list, a pronoun or a clause before it: no fact. "X is the R of Y" is said of Y: its R
is X, so that R can be functional.
"""

import re
from collections.abc import Iterator

from quipu.extract.statements.statement import (
    Statement,
    clean,
    is_name,
    is_object,
    lowered,
    singular,
)
from quipu.when import TimeSpan, fact_dates

__all__ = ["dated_statements"]

CONFIDENCE = 0.9
_ROLES = (
    r"(?:[\w-]+ ){0,3}?(?:chair(?:man|woman|person)?|head|president|vice president|leader|"
    r"ceo|cto|cfo|chief \w+ officer|owner|director|manager|coach|captain|capital|mayor|governor|"
    r"minister|editor|king|queen|pope|bishop|chancellor|rector|principal|dean|founder|maintainer|"
    r"secretary|treasurer|commander|ambassador|speaker|lead|home|host|sponsor|author)"
    r"(?: (?:coach|minister|editor|of (?:the )?(?:government|state|team|party|board)))?"
)
_BE = r"(?:is|was|are|were|has been|had been|became|becomes|remains|remained|served as|serves as)"
_ROLE_OF = re.compile(rf"\b{_BE}(?: now| also)? (?:the )?(?P<role>{_ROLES}) (?:of|for|at) ")
_VERBS: tuple[tuple[str, str], ...] = (
    (
        r"(?:holds|held|has held) the (?:position|office|post|title|rank) of",
        "holds the position of",
    ),
    (rf"{_BE} (?:a |an )?member of", "is a member of"),
    (rf"{_BE} owned by", "is owned by"),
    (rf"{_BE} (?:led|headed|run|managed|maintained) by", "is led by"),
    (rf"{_BE} (?:based|located|situated|headquartered) (?:in|at)", "is located in"),
    (rf"{_BE} married to", "is married to"),
    (rf"{_BE} (?:employed|hired) (?:by|at)", "works for"),
    (rf"{_BE} educated at", "attended"),
    (rf"{_BE} (?:named|known as)", "is called"),
    (rf"{_BE} (?:set|raised|lowered|increased|reduced|changed) to", "is set to"),
    (r"(?:plays|played|has played) for", "plays for"),
    (r"(?:works|worked|has worked) (?:for|at)", "works for"),
    (r"(?:works|worked|serves|served|has served) as", "works as"),
    (r"(?:belongs|belonged) to", "belongs to"),
    (r"(?:lives|lived|resides|resided|has lived) (?:in|at)", "lives in"),
    (r"(?:studied|studies) at|(?:attends|attended)", "attended"),
    (r"(?:teaches|taught) at", "teaches at"),
    (r"(?:joins|joined)", "joined"),
    (r"(?:left|leaves)", "left"),
    (r"(?:moves|moved|relocated) to", "moved to"),
    (r"(?:reports|reported) to", "reports to"),
    (r"(?:runs|ran) on", "runs on"),
    (r"(?:depends|depended) on", "depends on"),
    (r"(?:uses|used|has used)", "uses"),
    (r"(?:owns|owned|has owned)", "owns"),
    (r"(?:leads|led|heads|headed|manages|managed|chairs|chaired)", "leads"),
    (r"(?:supports|supported)", "supports"),
    (r"(?:requires|required)", "requires"),
    (r"(?:represents|represented)", "represents"),
    (r"(?:costs|cost)", "costs"),
    (r"(?:won|wins|received|receives)", "won"),
    (r"(?:released|releases|shipped|ships)", "released"),
)
_VERB = re.compile(
    r"\b(?:" + "|".join(f"(?P<v{i}>{verb})" for i, (verb, _) in enumerate(_VERBS)) + r")\s+"
)
_GOES_ON = re.compile(r"\s{0,2}(?:to|until|till|-|–)\s{0,2}\d")
_CLAUSE = re.compile(r",? (?:and then|before|after|when|while|because|but|where|which|who)\b|;")
_UNCERTAIN = re.compile(
    r"\b(?:would|could|might|may|should|if|whether|not|never|no longer"
    r"|nobody|cannot|neither|nor)\b|n't\b"
)


def dated_statements(sentence: str, offset: int, spans: list[TimeSpan]) -> Iterator[Statement]:
    """The statement that `sentence` makes with its one time; `spans` are relative to it."""
    times = [span for span in spans if span.dated and not span.interval.backwards]
    stretches = [span for span in times if span.kind == "range"]
    if len(times) != 1 and len(stretches) != 1:
        return
    span = stretches[0] if stretches else times[0]
    if _GOES_ON.match(sentence, span.end):
        return  # "from 2015 to 2006" is no stretch
    bare = _without(sentence, span)
    low = lowered(bare)
    if _UNCERTAIN.search(low) or sentence.rstrip().endswith("?"):
        return
    found = _role_of(bare, low) or _verb(bare, low)
    if found is None:
        return
    start, end = fact_dates(span)
    yield Statement(*found, start, end, offset, offset + len(sentence), "dated", CONFIDENCE)


def _without(sentence: str, span: TimeSpan) -> str:
    head, tail = sentence[: span.start].rstrip(" ,("), sentence[span.end :].lstrip(" )")
    if not head:
        tail = tail.lstrip(" ,")
    return f"{head}{'' if tail.startswith(',') else ' '}{tail}".strip()


def _role_of(bare: str, low: str) -> tuple[str, str, str] | None:
    """(Y, R, X) for "X is the R of Y"."""
    match = _ROLE_OF.search(low)
    if not match:
        return None
    holder, whose = singular(bare[: match.start()]), singular(_first_clause(bare[match.end() :]))
    named = whose[:1].isupper() and is_object(whose)
    if not (is_name(holder) and (named or is_name(whose))):
        return None
    return whose, bare[match.start("role") : match.end("role")].strip().lower(), holder


def _verb(bare: str, low: str) -> tuple[str, str, str] | None:
    match = _VERB.search(low)
    if not match:
        return None
    predicate = _VERBS[int((match.lastgroup or "v0")[1:])][1]
    subject, rest = singular(bare[: match.start()]), _first_clause(bare[match.end() :])
    said = clean(re.sub(r"^(?:now|also|currently) ", "", rest))
    if not (is_name(subject) and is_object(said)):
        return None
    return subject, predicate, said


def _first_clause(rest: str) -> str:
    """Up to a comma or a word that begins another clause; commas of names stay."""
    cut = re.search(
        r",? (?:and then|before|after|when|while|because|but|where|which|who)\b|;", rest
    )
    rest = rest[: cut.start()] if cut else rest
    comma = re.search(r", (?![A-Z0-9])", rest)
    return rest[: comma.start()] if comma else rest
