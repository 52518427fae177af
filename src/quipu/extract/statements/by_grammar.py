"""Statements read off the parse of a text: of whom or what, which attribute, what, and since when.

Which wordings say the same is told by the table of attributes (`records/attributes.py`); what is
not in it is keyed by its own verb or noun. What cannot be read without doubt gives nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quipu.extract.grammar import Sentence
from quipu.extract.grammar.clauses import Clause, clauses
from quipu.extract.statements.changes import Changes
from quipu.extract.statements.copular import Copular
from quipu.extract.statements.general import General
from quipu.extract.statements.measured import Measured
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import Statement
from quipu.extract.statements.verbal import Verbal

__all__ = ["GrammarReader"]


class GrammarReader(Reading):
    """Reads the sentences of one turn or text, in order."""

    def read_parts(self, clauses_: Sequence[Sentence]) -> list[Statement]:
        """What a sentence states that is given as the clauses of it that stand for themselves."""
        found: list[Statement] = []
        for place, each in enumerate(clauses_):
            self.here.goes_on = place > 0
            found += self.read(each)
        self.here.goes_on = False
        return list(dict.fromkeys(found))

    def read(self, sentence: Sentence) -> list[Statement]:
        """What one sentence states."""
        found = self._by_rule(sentence)
        self.here.spoken_of()
        return found

    def hear(self, clauses_: Sequence[Sentence]) -> None:
        """Go on behind a sentence that states nothing: whom and what it speaks of."""
        for each in clauses_:
            self.here.turn_to(each)
            self.here.spoken_of()

    def _by_rule(self, sentence: Sentence) -> list[Statement]:
        """What the rules read of one sentence."""
        self.here.turn_to(sentence)
        found: list[Statement] = []
        for clause in clauses(self.here.sentence):
            if clause.way == "unreal" or (clause.future and not self._is_decided(clause)):
                continue
            for subject in self.here.each(clause.subject):
                found += self._of_clause(replace(clause, subject=subject))
                self.here.cut, self.here.floor = (), -1
        found += Verbal(self).forbidden()
        found += [] if found else Measured(self).noted()
        return list(dict.fromkeys(found))

    def _of_clause(self, clause: Clause) -> list[Statement]:
        """What a clause states by the first of the rules that reads it, and by how much beside."""
        general = General(self)
        if any(True for _ in clause.under("expl")):  # "there's a sale on Tuesdays"
            return general.read(clause)
        found = Measured(self).doses(clause) or list(self._clause(clause))
        if clause.subject < 0:
            return found
        if found:
            found += [*general.further(clause, found), *general.dated(clause, found)]
        else:
            found = Measured(self).read(clause) or general.read(clause)
            found = found or general.dated(clause, found)
        return found + general.price(clause)

    def _is_decided(self, clause: Clause) -> bool:
        """Whether what will be is told as it stands already: on a day, or of what there is one of
        ("the roof will be slate")."""
        here = self.here
        dated = any(here.clause_of(at) == clause.predicate for at in here.days)
        return dated or (clause.copular and here.is_definite(clause.subject))

    def _clause(self, clause: Clause) -> Iterator[Statement]:
        tokens = self.here.sentence.tokens
        if clause.way == "due":
            return
        if clause.subject < 0:  # "moved the call to ten": whoever did
            self.here.floor = clause.predicate
            yield from Changes(self).read(clause)
            return
        self.here.floor = (
            max((clause.predicate, *clause.leads))
            if not clause.copular
            else max(clause.under("cop", of=clause.predicate), default=-1)
        )
        if clause.copular:
            yield from Copular(self).read(clause)
        elif tokens[clause.predicate].tag in ("VERB", "AUX"):
            changed = list(Changes(self).read(clause))
            yield from changed or Verbal(self).read(clause)
            if changed and clause.subject >= 0 and self._is_when(changed[-1]):
                yield from Copular(self).beside(clause, self._called_so(clause))

    def _called_so(self, clause: Clause) -> str:
        return self.here.name(clause.subject) or self.here.kind(clause.subject)

    def _is_when(self, statement: Statement) -> bool:
        """Whether what is told is a day: where it is then, is told beside it."""
        days = self.here.days
        return any(self.here.sentence.tokens[at].form in statement.object.split() for at in days)
