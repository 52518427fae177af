"""What a sentence leaves out that is clear from the one before: "I've joined the choir. Thursday
evenings", "Dad is Dad. Takes the Corolla to mass every morning". A pronoun is put in its place, and
"is" where there is no verb, so that it is read as any sentence is."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from quipu.extract.grammar import ParsedToken, Sentence
from quipu.extract.statements.spoken import Mention, Recalled

__all__ = ["completed", "topic_of"]

_BEFORE = frozenset({"INTJ", "CCONJ", "ADV"})
_IS = frozenset({"is", "has", "does", "isn't"})
_IMPERSONAL = frozenset(
    "sound look seem make happen depend matter thank help suit figure feel say tell mean turn go "
    "come take work do".split()
)
"""What begins a remark about nothing in particular: "sounds good", "works for me"."""
_UNITS = frozenset({"year", "month"})


def topic_of(recalled: Recalled, *, thing: bool) -> Mention | None:
    """What the last clause was most about: somebody or something, or only a `thing`."""
    found = (
        mention
        for each in reversed(recalled)
        for mention in reversed(each)
        if not (thing and mention.kind == "person")
    )
    return next(found, None)


def completed(
    sentence: Sentence, topic: Callable[[], Mention | None], *, valued: bool
) -> tuple[Sentence, int, Mention] | None:
    """The sentence with what it leaves out, where the pronoun stands in it, and what that means;
    None where it leaves out nothing that is sure. `topic` tells what was spoken of; `valued` that
    it says nothing but what something is now, or when it is.
    """
    tokens = sentence.tokens
    first = next((at for at, t in enumerate(tokens) if t.tag not in _BEFORE | {"PUNCT"}), -1)
    root = sentence.root
    subject = any(tokens[c].label.startswith(("nsubj", "expl")) for c in sentence.under[root])
    if first < 0 or subject or tokens[-1].form.startswith("?"):
        return None
    acting = _is_third(tokens, first, root)
    done = _is_done(tokens, first, root)
    if not (acting or done or valued or _is_aged(tokens, root)):
        return None
    mention = topic()
    if mention is None or ((done or valued) and mention.kind == "person"):
        return None
    if not (mention.name or mention.gender) or (acting and mention.kind == "things"):
        return None
    forms = {"person": mention.gender or "he", "thing": "it", "things": "they"}
    passive = done and tokens[root].tag == "VERB"
    words = [(forms[mention.kind], "PRON", "nsubj:pass" if passive else "nsubj")]
    if not acting:
        words.append(("is", "AUX", "aux:pass" if passive else "cop"))
    return *_with(sentence, first, words), mention


def _is_third(tokens: Sequence[ParsedToken], first: int, root: int) -> bool:
    """Whether a verb of somebody or something else leads: "takes", "is"."""
    token = tokens[first]
    low = token.form.lower()
    if token.tag == "AUX":
        return low in _IS and (token.head == root or first == root)
    verb = token.tag == "VERB" and first == root and low != token.lemma and low.endswith("s")
    objects = any(t.head == root and t.tag == "PRON" for t in tokens[first + 1 :])
    return verb and token.lemma not in _IMPERSONAL and not objects


def _is_aged(tokens: Sequence[ParsedToken], root: int) -> bool:
    """As in "four years old"."""
    return tokens[root].lemma == "old" and any(
        t.head == root and t.lemma in _UNITS for t in tokens[:root]
    )


def _is_done(tokens: Sequence[ParsedToken], first: int, root: int) -> bool:
    """As in "built in 1842"."""
    token, after = tokens[first], tokens[first + 1] if first + 1 < len(tokens) else None
    past = token.tag == "VERB" and not token.form.lower().endswith(("ing", "s"))
    return (
        first == root
        and past
        and after is not None
        and after.tag == "ADP"
        and (token.form.lower() in ("built", "made", "born", "bred", "founded", "based"))
    )


def _with(
    sentence: Sentence, at: int, words: Sequence[tuple[str, str, str]]
) -> tuple[Sentence, int]:
    """A sentence with words before one of it, under its main word."""
    shift, root = len(words), sentence.root
    start = sentence.tokens[at].start

    def moved(place: int) -> int:
        return place + shift if place >= at else place

    put = [
        ParsedToken(form, "be" if form == "is" else form, tag, moved(root), label, start, start)
        for form, tag, label in words
    ]
    tokens = [
        replace(token, head=moved(token.head) if token.head >= 0 else -1)
        for token in sentence.tokens
    ]
    return Sentence((*tokens[:at], *put, *tokens[at:]), sentence.start, sentence.end), at
