"""The clauses of a parsed sentence: who does or is what, and whether it is stated at all.

Questions, conditions, wishes, hedges, commands and quotations are no statements: they give no
clause. What somebody else is reported to say is a clause that knows who said it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from quipu.extract.grammar.parts import is_reason
from quipu.extract.grammar.words import ASKING, ParsedToken, Sentence

__all__ = [
    "Clause",
    "clauses",
    "is_hypothetical",
    "is_predicate",
    "is_stated",
    "phrase",
    "span_of",
    "taken_back",
]

_UNREAL = frozenset("would could might may should shall ought 'd".split())
_HYPOTHETICAL = frozenset("would could might may 'd ’d".split())
_ABLE = frozenset({"can", "ca", "cannot"})
_DUE = frozenset({"must"})
_WILL = frozenset({"will", "wo", "'ll", "’ll"})
_CONDITION = frozenset("if unless whether whenever lest suppose supposing provided".split())
_WHEN = frozenset("until till before once when".split())
_NEARLY = frozenset("almost nearly hardly barely".split())
_HEDGE = _NEARLY | frozenset(
    "maybe perhaps probably possibly presumably allegedly supposedly apparently hopefully "
    "hypothetically theoretically reportedly likely ideally potentially".split()
)
_NEGATION = frozenset("not n't n’t never no neither nor hardly nobody none nothing".split())
_SAYING = frozenset(
    "say tell mention report announce confirm note write explain state claim "
    "add reply answer inform remind".split()
)
_KNOWING = frozenset(
    "hear know confirm remember see learn find notice realize realise mean guarantee".split()
)
_PASSING = {
    "decide": "begins",
    "agree": "begins",
    "choose": "begins",
    "opt": "begins",
    "start": "begins",
    "begin": "begins",
    "resolve": "begins",
    "elect": "begins",
    "continue": "holds",
    "keep": "holds",
    "tend": "holds",
    "go on": "holds",
    "like": "likes",
    "love": "likes",
    "enjoy": "likes",
    "hate": "dislikes",
    "dislike": "dislikes",
    "prefer": "prefers",
    "stop": "ends",
    "quit": "ends",
    "cease": "ends",
    "finish": "ends",
    "give up": "ends",
    "use": "past",
}
_QUOTES = '"“”«»'
_BAD_TEXT = frozenset("`{}<>=|\\")
_ALLOWED = re.compile(r"[A-Za-z_]\w*=\d[\w.]*|-{1,2}>")
_ASIDE = frozenset(
    "acl:relcl advcl parataxis vocative discourse punct reparandum appos ccomp list "
    "dislocated".split()
)
_HOLDING_NOUNS = frozenset("nsubj obj nsubj:pass appos obl nmod conj".split())
_PARATACTIC = frozenset({"parataxis", "appos", "list", "dep"})
_ANNOUNCING = frozenset(
    "reminder note notice news update headsup sorry glad happy pleased "
    "fyi correction confirmed good".split()
)
_BEFORE = frozenset({"ADV", "INTJ", "CCONJ", "PUNCT"})
_RELATIVE = frozenset({"who", "which", "that"})
_TOLD = frozenset({"which", "that", "this", "it"})
_TRUE = frozenset("true right correct accurate".split())
_UNTRUE = frozenset("untrue wrong false incorrect mistaken nonsense rubbish bogus bull".split())


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement: `predicate` is its main word, `subject` the main word of who or what (-1:
    none), both of `sentence`. `way` says how it stands to time: it `holds`, `begins`, `ends` or is
    `past`; `able` is what can be, `due` what must; `likes`, `dislikes` and `prefers` are of what is
    done. `said_by` is who is reported to say it (-1: nobody)."""

    sentence: Sentence
    predicate: int
    subject: int
    negated: bool = False
    way: str = "holds"
    said_by: int = -1
    past: bool = False
    future: bool = False
    perfect: bool = False
    leads: tuple[int, ...] = field(default=())
    """Verbs that govern the predicate ("decided" to use): what hangs on them belongs to it."""

    def under(self, label: str, *, of: int | None = None) -> Iterator[int]:
        """The words that hang on the predicate (or on those that govern it) as `label`."""
        heads = (self.predicate, *self.leads) if of is None else (of,)
        for head in heads:
            for child in self.sentence.under[head]:
                if self.sentence.tokens[child].label == label:
                    yield child

    @property
    def copular(self) -> bool:
        """Whether the predicate is what the subject is said to be."""
        return any(True for _ in self.under("cop", of=self.predicate))

    @property
    def over(self) -> bool:
        """Whether it is so no longer: "no longer", "not … any more"."""
        tokens = self.sentence.tokens
        for child in self.sentence.under[self.predicate]:
            low = tokens[child].form.lower()
            before = tokens[child - 1].form.lower() if child else ""
            if low == "anymore" or (before, low) in (("no", "longer"), ("any", "more")):
                return True
        return False


def clauses(sentence: Sentence) -> list[Clause]:
    """What `sentence` states, in order."""
    tokens = sentence.tokens
    if not tokens or any(_is_code(t.form) for t in tokens):
        return []
    quoted = _quoted(tokens)
    found: list[Clause] = []
    if is_reason(tokens, 0) and tokens[0].head == sentence.root:
        return []  # why something is so, parsed apart from it
    if _is_only_when(sentence) or _is_conditional(tokens):
        return []
    tops = [sentence.root]
    if _is_question(sentence):
        tops = _before_question(sentence)
    for top in tops:
        _walk(sentence, top, Clause(sentence, top, -1), found, quoted)
    return sorted(found, key=lambda c: c.predicate)


def taken_back(sentences: Sequence[Sentence]) -> list[tuple[int, int]]:
    """The stretches of a text that it says are not so, of the one or two sentences each: the first
    half of "he says it is 1,500, which is nonsense", what stands before "That's wrong."."""
    found: list[tuple[int, int]] = []
    for place, sentence in enumerate(sentences):
        for at, token in enumerate(sentence.tokens):
            if (told := _denied_by(sentence, at)) < 0:
                continue
            if any(t.tag in ("VERB", "AUX") for t in sentence.tokens[:told]):
                found.append((sentence.start, token.end))
            elif place:
                found.append((sentences[place - 1].start, sentences[place - 1].end))
    return found


def _denied_by(sentence: Sentence, at: int) -> int:
    """The "that" of "that is wrong", where `at` is the "wrong"; -1 where nothing is denied."""
    tokens, under = sentence.tokens, sentence.under[at]
    if tokens[at].lemma not in _TRUE | _UNTRUE or _is_question(sentence):
        return -1
    said = any(tokens[c].label == "cop" for c in under)
    if not said or _negated(sentence, at) != (tokens[at].lemma in _TRUE):
        return -1
    told = (c for c in under if tokens[c].label.startswith("nsubj"))
    return next((c for c in told if tokens[c].form.lower() in _TOLD), -1)


def _is_only_when(sentence: Sentence) -> bool:
    """Whether a sentence only tells until when, or when, something else is so: "until we have
    Ann"."""
    return any(
        sentence.tokens[c].label in ("mark", "advmod") and sentence.tokens[c].form.lower() in _WHEN
        for c in sentence.under[sentence.root]
        if c == 0
    )


def _is_conditional(tokens: Sequence[ParsedToken]) -> bool:
    """Whether a sentence begins with its condition: "if it rains, we meet at the library"."""
    first = next((t for t in tokens if t.tag not in _BEFORE), tokens[0])
    return first.tag == "SCONJ" and first.form.lower() in _CONDITION


def _is_code(form: str) -> bool:
    """Whether a word is no language; a setting may stand in a sentence: "capped at
    n=5"; so may an arrow."""
    return any(c in _BAD_TEXT for c in form) and not _ALLOWED.fullmatch(form)


def _is_question(sentence: Sentence) -> bool:
    tokens = sentence.tokens
    if any("?" in t.form for t in tokens[-3:]):
        return True
    root = sentence.root
    first = next((t for t in tokens if t.tag not in ("PUNCT", "CCONJ", "INTJ", "ADV")), tokens[0])
    subject = next((c for c in sentence.under[root] if tokens[c].label.startswith("nsubj")), None)
    if subject is None:
        return False
    # "Does it run", "Is he", "Where do you": the auxiliary stands before the subject.
    inverted = first.tag == "AUX" and tokens.index(first) < subject and first.head == root
    asked = tokens[0].lemma in ASKING
    asked = asked and not _is_so(sentence, root, 0)  # "Which means that …"
    return inverted or (asked and not any(t.label == "punct" and t.form == "," for t in tokens))


def _before_question(sentence: Sentence) -> list[int]:
    """What is stated before it is asked about: "my visa ends in May, is that a problem?"."""
    tokens, root = sentence.tokens, sentence.root
    marked = ("mark", "advmod")
    return [
        child
        for child in sentence.under[root]
        if child < root
        and tokens[child].label in ("advcl", "parataxis", "ccomp")
        and _has_own_subject(sentence, child)
        and not any(tokens[c].label in marked for c in sentence.under[child])
        and any(tokens[i].form in (",", "-", "–", ";") for i in range(child, root))
        and tokens[0].lemma not in ASKING
        and tokens[0].tag != "AUX"
    ]


def _quoted(tokens: Sequence[ParsedToken]) -> frozenset[int]:
    quoted: set[int] = set()
    opened = -1
    for at, token in enumerate(tokens):
        if token.form in _QUOTES or token.form in ("``", "''"):
            if opened < 0:
                opened = at
            else:
                one_name = all(
                    t.tag in ("PROPN", "NUM", "X", "SYM") for t in tokens[opened + 1 : at]
                )
                if not one_name:  # a name is no quotation
                    quoted.update(range(opened, at))
                opened = -1
    return frozenset(quoted)


def _walk(
    sentence: Sentence, at: int, lead: Clause, found: list[Clause], quoted: Collection[int]
) -> None:
    """Add the clause whose main word is `at`, and those that hang on it. `lead` is what it takes
    from the one that it hangs on."""
    tokens, under = sentence.tokens, sentence.under[at]
    subjects = [c for c in under if tokens[c].label in ("nsubj", "nsubj:pass")]
    own = max((c for c in subjects if c < at), default=next(iter(subjects), -1))
    if own < 0:
        own = _strayed(sentence, at)
    if own < 0 and lead.subject < 0 and _goes_on(sentence, at):
        own = _of_earlier(sentence, at)
    aux = {tokens[c].lemma for c in under if tokens[c].label in ("aux", "aux:pass")}
    way = "able" if aux & _ABLE else "due" if aux & _DUE else lead.way
    clause = replace(
        lead,
        way=way,
        predicate=at,
        subject=own if own >= 0 else lead.subject,
        negated=_negated(sentence, at) or (own < 0 and lead.negated and bool(lead.leads)),
        leads=() if own >= 0 else lead.leads,
        **_time_of(sentence, at, lead if own < 0 else None),
    )
    stated = at not in quoted and not _unreal(sentence, at)
    if stated:
        _state(clause, found, quoted)
    for child in under:
        label = tokens[child].label
        if label == "conj" and (stated or _has_own_subject(sentence, child)):
            if is_predicate(sentence, child) and not _is_order(sentence, at, child):
                shared = clause.way in ("able", "due") and not _has_own_subject(sentence, child)
                way = clause.way if shared else lead.way  # "we can go and have fun"
                _walk(sentence, child, replace(clause, way=way), found, quoted)
        elif _is_paratactic(sentence, at, child):
            goes_on = stated and _goes_on(sentence, child)
            lead_in = replace(clause, way=lead.way) if goes_on else Clause(sentence, child, -1)
            _walk(sentence, child, lead_in, found, quoted)
        elif label == "ccomp" and stated:
            _reported(sentence, at, child, clause, found, quoted)
    if stated:
        _relatives(sentence, at, found, quoted)
        _announced(sentence, at, found, quoted)


def _is_order(sentence: Sentence, at: int, child: int) -> bool:
    """Whether a verb behind another only tells somebody what to do: "it was changed, use 5518"; it
    does not stand as the first does."""
    tokens = sentence.tokens
    led, first = tokens[child], tokens[at]
    plain = led.tag == "VERB" and led.form.lower() == led.lemma
    inflected = first.tag == "VERB" and first.form.lower() != first.lemma
    governed = any(tokens[c].label in ("aux", "mark", "cc") for c in sentence.under[child])
    helped = any(tokens[c].lemma in ("do", *_UNREAL) for c in sentence.under[at])
    return plain and inflected and not (governed or helped or _has_own_subject(sentence, child))


def _goes_on(sentence: Sentence, at: int) -> bool:
    """Whether a verb without a subject is told of the one before it: "is on X, listens on Y"."""
    token = sentence.tokens[at]
    finite = token.tag == "VERB" and token.form.lower() != token.lemma
    return finite and not token.form.endswith("ing") and not _has_own_subject(sentence, at)


def _is_paratactic(sentence: Sentence, at: int, child: int) -> bool:
    """Whether a clause only follows another: "I was wrong: Dana lives in Milan"."""
    tokens, label = sentence.tokens, sentence.tokens[child].label
    if label in _PARATACTIC:
        return is_predicate(sentence, child)
    under = [tokens[c] for c in sentence.under[child]]
    if label == "advcl":  # "…, and the export starts at two"
        joined = any(t.label == "cc" and t.lemma in ("and", "but") for t in under)
        return joined and _has_own_subject(sentence, child)
    if label not in ("ccomp", "acl", "csubj"):
        return False
    if any(tokens[i].form == ":" for i in range(at + 1, child)):
        return tokens[at].lemma not in _SAYING
    return _is_announced(sentence, at, child)


def _is_announced(sentence: Sentence, at: int, child: int) -> bool:
    """Whether the main clause only says that something is told: "reminder that …", "guess what,
    …", "it turns out that …", "sorry to say that …"."""
    tokens = sentence.tokens
    if not _has_own_subject(sentence, child) or tokens[at].lemma in _SAYING:
        return False
    low, after = tokens[at].lemma, tokens[at + 1].lemma if at + 1 < len(tokens) else ""
    if (low, after) in (("guess", "what"), ("turn", "out")):
        return True
    return low in _ANNOUNCING and not _has_own_subject(sentence, at)


def _of_earlier(sentence: Sentence, at: int) -> int:
    """The subject of the clause before a verb that has none and that it hangs on; else -1."""
    tokens = sentence.tokens
    for child in sentence.under[at]:
        if child < at and tokens[child].label in ("parataxis", "ccomp", "advcl"):
            for word in sentence.under[child]:
                if tokens[word].label.startswith("nsubj"):
                    return word
    return -1


def _strayed(sentence: Sentence, at: int) -> int:
    """The subject of "X is Y" where the parse hangs it on a word before Y; -1 without one."""
    tokens = sentence.tokens
    cop = next((c for c in sentence.under[at] if tokens[c].label == "cop"), -1)
    for word in range(cop - 1, -1, -1):
        if tokens[word].label == "nsubj" and cop < tokens[word].head < at:
            return word
    return -1


def _state(clause: Clause, found: list[Clause], quoted: Collection[int]) -> None:
    """Add what is stated: the clause, or what its verb governs ("stopped using X")."""
    sentence, at = clause.sentence, clause.predicate
    tokens, token = sentence.tokens, sentence.tokens[at]
    inner = next((c for c in sentence.under[at] if tokens[c].label == "xcomp"), -1)
    if (must := _due_under(sentence, at)) >= 0:
        due = replace(clause, way="due", leads=(*clause.leads, at))
        _walk(sentence, must, due, found, quoted)
        return
    if inner >= 0 and tokens[inner].tag == "VERB" and not clause.copular:
        if passing := _passing(sentence, at):
            governed = replace(clause, way=passing, leads=(*clause.leads, at))
            _walk(sentence, inner, governed, found, quoted)
        return
    command = token.tag == "VERB" and token.lemma == token.form.lower() and clause.subject < 0
    verbal = token.tag in ("VERB", "AUX") or clause.copular or is_predicate(sentence, at)
    dropped = clause.past and not command and _is_dropped(sentence, at)
    if verbal and not command and (clause.subject >= 0 or dropped):
        found.append(clause)


def _due_under(sentence: Sentence, at: int) -> int:
    """What something has to do or be: the "in" of "has to be in by noon"; -1 without it."""
    tokens = sentence.tokens
    if tokens[at].lemma != "have" or at + 1 >= len(tokens) or tokens[at + 1].form.lower() != "to":
        return -1
    return next((c for c in sentence.under[at] if tokens[at + 1].head == c), -1)


def _is_dropped(sentence: Sentence, at: int) -> bool:
    """Whether a verb leads its sentence, or goes on with one that does, and whoever did it is left
    out: "fyi upgraded X to Y, moved Z from A to B"."""
    tokens = sentence.tokens
    while tokens[at].label == "conj" and not _has_own_subject(sentence, at):
        at = tokens[at].head
    thrown_in = all(tokens[i].tag in _BEFORE for i in range(at))
    return at == sentence.root and thrown_in and not _has_own_subject(sentence, at)


def _announced(sentence: Sentence, at: int, found: list[Clause], quoted: Collection[int]) -> None:
    """What is told behind "sorry to say", "happy to announce"."""
    tokens = sentence.tokens
    if tokens[at].lemma not in _ANNOUNCING or _has_own_subject(sentence, at):
        return
    for saying in sentence.under[at]:
        if tokens[saying].lemma in _SAYING and tokens[saying].label in ("advcl", "xcomp", "acl"):
            for child in sentence.under[saying]:
                if tokens[child].label == "ccomp":
                    _walk(sentence, child, Clause(sentence, child, -1), found, quoted)


def _has_own_subject(sentence: Sentence, at: int) -> bool:
    return any(sentence.tokens[c].label.startswith("nsubj") for c in sentence.under[at])


def is_predicate(sentence: Sentence, at: int) -> bool:
    """Whether a word is the main one of a clause."""
    labels = {sentence.tokens[c].label for c in sentence.under[at]}
    return (
        sentence.tokens[at].tag == "VERB"
        or "cop" in labels
        or bool(labels & {"nsubj", "nsubj:pass"})
    )


def _reported(
    sentence: Sentence,
    at: int,
    child: int,
    clause: Clause,
    found: list[Clause],
    quoted: Collection[int],
) -> None:
    tokens = sentence.tokens
    verb = tokens[at].lemma
    who = clause.subject
    first_person = who >= 0 and tokens[who].form.lower() in ("i", "we")
    fresh = Clause(sentence, child, -1)
    if verb in _SAYING:
        if clause.negated:
            return
        fresh = replace(fresh, said_by=-1 if first_person else who)
        if not first_person and who < 0:
            return
        _walk(sentence, child, fresh, found, quoted)
    elif verb in _KNOWING and (first_person or _is_so(sentence, at, who)) and not clause.negated:
        _walk(sentence, child, fresh, found, quoted)
    elif verb in ("decide", "agree", "resolve") and not clause.negated:
        _walk(sentence, child, replace(fresh, way="begins"), found, quoted)


def _is_so(sentence: Sentence, at: int, who: int) -> bool:
    """Whether what was told means something: "which means that …"."""
    told = who >= 0 and sentence.tokens[who].form.lower() in _TOLD
    return told and sentence.tokens[at].lemma == "mean"


def _relatives(sentence: Sentence, at: int, found: list[Clause], quoted: Collection[int]) -> None:
    """Clauses on a noun under this one: "Ann, who lives in Bergen"."""
    tokens = sentence.tokens
    held = [c for c in sentence.under[at] if tokens[c].label in _HOLDING_NOUNS]
    named = [
        c
        for noun in held
        for c in sentence.under[noun]
        if tokens[c].tag == "PROPN" and tokens[c].label in ("conj", "appos") and c > at
    ]
    for noun in (*([at] if tokens[at].tag == "PROPN" else []), *held, *named):
        known = tokens[noun].tag == "PROPN" or _is_definite(sentence, noun)
        for inner in sentence.under[noun]:
            own = noun != at and _has_own_subject(sentence, inner)
            if tokens[inner].label == "parataxis" and own:
                _walk(sentence, inner, Clause(sentence, inner, -1), found, quoted)
            if (
                not known
                or tokens[inner].label != "acl:relcl"
                or inner in quoted
                or _unreal(sentence, inner)
            ):
                continue
            if any(
                tokens[c].label.startswith("nsubj") and tokens[c].lemma in _RELATIVE
                for c in sentence.under[inner]
            ):
                made = Clause(sentence, inner, noun, negated=_negated(sentence, inner))
                found.append(replace(made, **_time_of(sentence, inner, None)))


def _is_definite(sentence: Sentence, at: int) -> bool:
    return any(
        sentence.tokens[c].label in ("det", "nmod:poss")
        and sentence.tokens[c].lemma not in ("a", "an", "any", "some", "every", "no")
        for c in sentence.under[at]
    )


def _negated(sentence: Sentence, at: int) -> bool:
    tokens = sentence.tokens
    subject = next((c for c in sentence.under[at] if tokens[c].label.startswith("nsubj")), 0)
    for child in sentence.under[at]:
        token = tokens[child]
        low = token.form.lower()
        if any(between.form == "," for between in tokens[child:subject]):
            continue  # "not yet, I charge it at work"
        if token.label in ("advmod", "det", "cc", "cc:preconj") and low in _NEGATION:
            return True
        if token.label == "advmod" and low == "longer":
            return False  # "no longer" is an ending, told by `ended`
    return False


def _unreal(sentence: Sentence, at: int) -> bool:
    tokens = sentence.tokens
    for child in sentence.under[at]:
        token = tokens[child]
        low = token.form.lower()
        if token.label in ("aux", "aux:pass") and (token.lemma in _UNREAL or low in _UNREAL):
            return True
        if token.label in ("mark", "advmod") and low in (*_CONDITION, "once"):
            return True
        if token.label == "advmod" and low in _HEDGE:
            return True
        if token.label == "obl" and any(
            tokens[c].lemma in ("accord", "according") for c in sentence.under[child]
        ):
            return True  # "according to Tom": somebody else says so
        if token.label == "advcl" and any(
            tokens[c].label in ("mark", "advmod") and tokens[c].form.lower() in _CONDITION
            for c in sentence.under[child]
        ):
            return True
    return False


def is_stated(sentence: Sentence, at: int = -1) -> bool:
    """Whether a sentence without a clause of its own, or what hangs on the word `at`, is said as it
    stands: no question, nothing quoted or only supposed."""
    at = sentence.root if at < 0 else at
    unsaid = _is_question(sentence) or at in _quoted(sentence.tokens)
    unsaid = unsaid or _is_conditional(sentence.tokens) or _is_meant(sentence, at)
    return not unsaid and not _unreal(sentence, at)


def _is_meant(sentence: Sentence, at: int) -> bool:
    """Whether a verb is governed by one that does not state it: "I want to go to 16"."""
    token = sentence.tokens[at]
    return token.label == "xcomp" and token.tag == "VERB" and not _passing(sentence, token.head)


def is_hypothetical(sentence: Sentence) -> bool:
    """Whether a sentence tells what would or might be, or begins with its condition."""
    under = (sentence.tokens[child] for child in sentence.under[sentence.root])
    would = any(t.label.startswith("aux") and t.form.lower() in _HYPOTHETICAL for t in under)
    return would or _is_conditional(sentence.tokens)


def _passing(sentence: Sentence, at: int) -> str:
    """How a governing verb passes on what it governs; empty where it does not state it."""
    tokens = sentence.tokens
    particle = next(
        (tokens[c].lemma for c in sentence.under[at] if tokens[c].label == "compound:prt"), ""
    )
    lemma = f"{tokens[at].lemma} {particle}".strip()
    if lemma == "use" and tokens[at].form.lower() != "used":
        return ""
    return _PASSING.get(lemma, "")


def _time_of(sentence: Sentence, at: int, lead: Clause | None) -> dict[str, bool]:
    tokens = sentence.tokens
    aux = [tokens[c] for c in sentence.under[at] if tokens[c].label in ("aux", "aux:pass", "cop")]
    lows = {t.form.lower() for t in aux}
    if not aux and lead is not None and tokens[at].label == "xcomp":
        return {"past": lead.past, "future": lead.future, "perfect": lead.perfect}
    perfect = bool(lows & {"has", "have", "'ve", "’ve", "had"}) and tokens[at].tag != "NOUN"
    past = bool(lows & {"was", "were", "did", "had"})
    if not aux and tokens[at].tag == "VERB":
        form, lemma = tokens[at].form.lower(), tokens[at].lemma
        present = form in (lemma, f"{lemma}s", f"{lemma}es", "'ve", "’ve")
        done = any(tokens[c].label == "nsubj:pass" for c in sentence.under[at])
        past = not present and not done and not form.endswith(("ing", "s"))
    return {
        "past": past,
        "future": bool(lows & _WILL),
        "perfect": perfect,
    }


def span_of(
    sentence: Sentence, at: int, *, without: Collection[int] = (), asides: bool = False
) -> list[int]:
    """The words of the phrase of `at`, in order: all that hang on it but asides, and what begins
    with a word of `without`."""
    tokens = sentence.tokens
    kept: list[int] = []
    todo = [at]
    while todo:
        here = todo.pop()
        kept.append(here)
        for child in sentence.under[here]:
            label = tokens[child].label
            if child in without or (label in _ASIDE and not asides):
                continue
            if (
                here == at
                and label in ("nsubj", "nsubj:pass", "cop", "aux", "mark", "cc", "case", "advmod")
                and _edge(sentence, at, child)
            ):
                continue
            if label == "conj" and is_predicate(sentence, child):
                continue
            todo.append(child)
    return sorted(kept)


def _edge(sentence: Sentence, at: int, child: int) -> bool:
    """Whether a word under the head is no part of the phrase: what joins it, or modifies a
    predicate."""
    token = sentence.tokens[child]
    if token.label == "advmod":
        return sentence.tokens[at].tag not in ("NUM", "ADJ", "NOUN", "PROPN") or token.lemma in (
            "now",
            "also",
            "currently",
            "just",
            "only",
            "actually",
            "still",
            "already",
            "then",
            "too",
            "really",
            "officially",
            "always",
            "usually",
            "not",
            "never",
            "no",
            "today",
            "finally",
            "recently",
            "again",
            "instead",
            "originally",
            "previously",
            "right",
            "anymore",
            "longer",
            "since",
            "ever",
        )
    return True


def phrase(text: str, sentence: Sentence, words: Sequence[int]) -> str:
    """The words as they are written, without marks at their edges."""
    tokens = sentence.tokens
    parts: list[str] = []
    for place, at in enumerate(words):
        if place and tokens[at].start == tokens[words[place - 1]].end:
            parts[-1] += tokens[at].form
        elif place and words[place - 1] + 1 < at and _marks_between(tokens, words[place - 1], at):
            gap = text[tokens[words[place - 1]].end : tokens[at].end]
            parts[-1] += gap
        else:
            parts.append(tokens[at].form)
    return " ".join(" ".join(parts).split()).strip(" ,;:.!-–—\"“”'()")


def _marks_between(tokens: Sequence[ParsedToken], one: int, other: int) -> bool:
    """Whether only marks stand between two words: they belong to what is written."""
    return all(tokens[at].tag == "PUNCT" for at in range(one + 1, other))
