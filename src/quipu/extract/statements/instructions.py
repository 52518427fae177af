"""What somebody asks for from now on, and what was decided."""

import re

from quipu.extract.statements.statement import (
    CONFIDENCE,
    WORDS,
    Statement,
    clean,
    is_object,
    lowered,
)

__all__ = ["decision", "instruction"]

_SAID_OF = r"(?:the|an?|my|our|his|her|its|their|it|he|she|they|we|i)"
_WISHED = r"(?:should|must|have to|has to|need to|needs to|want|would like|please)"
_INSTRUCTION = re.compile(
    r"^(?:please |from now on,? |remember to |remember:? |make sure (?:to |you )?){0,2}"
    r"(?P<always>(?:always|never|do not ever|don't ever) \w[^;]{3,})"
    # From now on something is so, unless it is wished for.
    rf"|^from now on,? (?P<now>(?!{_SAID_OF}\b(?!.*\b{_WISHED}\b))\w[^;]{{5,}})"
    r"|^(?:(?:oh|ok|okay|and|also|so|btw|hey|well)\b,? )*please (?P<how>(?:call me"
    r"|(?:answer|reply|respond|talk|speak)(?: to)?(?: me| us)? (?:in|with|without|more|less|like"
    r"|only))\b[^;]{2,})"
    r"|\b(?P<rather>i(?:'d| would) (?:rather|like|prefer)\b[^;]{3,80}\bfrom now on)\b"
)
_DECISION = re.compile(
    r"\b(?P<who>i|we)(?:'ve| have)? (?:just |recently |now |officially |all |finally )?"
    r"(?:decided|agreed|resolved)(?: to| that| on)? (?P<new>[^;]{3,160})"
    r"|^(?:decision|decided): (?P<noted>[^;]{3,160})"
)
_DOUBT = re.compile(
    r"\b(?:if|whether|maybe|perhaps|might|could|would|should we|considering|wish|hope|unless)\b"
)
_UNTIL = re.compile(
    r",? (?:because|since|so that|so|but|although|though|when|while|which|and i|and we)\b|[;!?]|\. "
)
_SAYINGS = (["never", "again"], ["never", "mind"], ["never", "forget"])


def instruction(sentence: str, offset: int, speaker: str, day: str | None) -> Statement | None:
    """Return what a sentence asks for from now on; None where it asks for nothing, or asks once."""
    match = _INSTRUCTION.search(lowered(sentence))
    said = _what(match, sentence) if match else ""
    if not said or lowered(said).split() in _SAYINGS:
        return None
    return _statement(speaker or "user", "instructs", said, sentence, offset, day)


def decision(sentence: str, offset: int, day: str | None) -> Statement | None:
    """Return what a sentence says was decided, or None."""
    low = lowered(sentence)
    match = None if _DOUBT.search(low) else _DECISION.search(low)
    said = _what(match, sentence) if match else ""
    if not said or lowered(said).split()[0] in WORDS.pointing:
        return None
    return _statement("we", "decided", said, sentence, offset, day)


def _what(match: re.Match[str], sentence: str) -> str:
    """What the one group that matched says, up to a reason; empty for a question."""
    name = match.lastgroup or ""
    said = clean(_UNTIL.split(sentence[match.start(name) : match.end(name)])[0])
    return "" if sentence.rstrip().endswith("?") or not is_object(said) else said


def _statement(
    subject: str, predicate: str, said: str, sentence: str, offset: int, day: str | None
) -> Statement:
    end = offset + len(sentence)
    return Statement(subject, predicate, said, day, None, offset, end, predicate, CONFIDENCE)
