"""Numbers that show their working: a derived value is a fact whose provenance is a computation.

A `Formula` is a registered function over inputs it collects from the graph; its text and version
stand in the fact beside the inputs (ids and values) and the output. `explain` reads the inputs
again, recomputes, and says what changed. Nothing is ever evaluated from text.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.ports import Graph
from quipu.records.ids import make_id
from quipu.records.record import Fact, Properties

__all__ = ["Explanation", "Formula", "Input", "InputChange", "derived_fact", "explain"]

_KEY = "computation"


class Input(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named input: the records it is read from and the numbers (and words) read."""

    name: str
    record_ids: tuple[str, ...]
    values: dict[str, float | str]


class Formula(NamedTuple):
    """A registered computation. `text` says it in words of mathematics; a change of what it
    computes is a new `version`."""

    name: str
    version: int
    text: str
    collect: Callable[[Graph, str], tuple[Input, ...]]
    compute: Callable[[Sequence[Input]], float]


class InputChange(msgspec.Struct, frozen=True, kw_only=True):
    """An input then and now; `now` is null where it is gone, `then` where it is new."""

    name: Annotated[str, "the input's name"]
    record_ids: Annotated[tuple[str, ...], "the records it is read from"]
    then: Annotated[
        dict[str, float | str] | None, "its values when the fact was made; null: it is new"
    ]
    now: Annotated[dict[str, float | str] | None, "its values now; null: it is gone"]
    changed: Annotated[bool, "whether the two differ"]


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs → formula → output, as they stood and as they stand."""

    fact_id: Annotated[str, "the derived fact"]
    subject: Annotated[str, "what it is about"]
    predicate: Annotated[str, "what it says of it"]
    object: Annotated[str, "the value, as it is stored"]
    formula: Annotated[str, "the name of the formula"]
    version: Annotated[int, "the version of the formula that made it"]
    text: Annotated[str, "the formula in words of mathematics"]
    inputs: Annotated[tuple[InputChange, ...], "what went in, by name, then and now"]
    output: Annotated[float, "what came out then"]
    recomputed: Annotated[float, "what comes out now"]
    holds: Annotated[bool, "whether the two are the same"]
    notes: Annotated[tuple[str, ...], "which inputs changed, and whether the fact still holds"] = ()


def derived_fact(
    namespace: str,
    formula: Formula,
    subject: str,
    predicate: str,
    inputs: Sequence[Input],
    *,
    seen: str,
    sha: str,
) -> Fact:
    """The fact that the inputs make."""
    output = formula.compute(inputs)
    provenance: Properties = {
        _KEY: {
            "formula": formula.name,
            "version": formula.version,
            "text": formula.text,
            "inputs": msgspec.to_builtins([*inputs]),
            "output": output,
        }
    }
    return Fact(
        fact_id=make_id("fact", namespace, "derived", formula.name, subject, predicate),
        subject=subject,
        predicate=predicate,
        object=repr(output).removesuffix(".0"),
        updated_at=seen,
        source_sha=sha,
        provenance=provenance,
    )


class _Computation(msgspec.Struct, frozen=True, kw_only=True):
    formula: str
    version: int
    text: str
    inputs: tuple[Input, ...]
    output: float


def explain(graph: Graph, fact_id: str, formulas: Mapping[str, Formula]) -> Explanation:
    """How a derived fact came about, and whether it still does.

    Raises UnknownRecord for no live fact, InvalidInput for a fact that no formula made.
    """
    fact = graph.get([fact_id]).get(fact_id)
    if not isinstance(fact, Fact):
        raise UnknownRecord(
            f"{fact_id!r} is no fact here: `quipu facts` lists the facts and their ids"
        )
    computation = fact.provenance.get(_KEY)
    if computation is None:
        raise InvalidInput(
            f"{fact_id!r} was stated, not computed: `quipu history {fact.subject!r}` shows by whom"
        )
    made = msgspec.convert(computation, _Computation)
    formula = formulas.get(made.formula)
    if formula is None:
        raise InvalidInput(
            f"the formula {made.formula!r} of {fact_id!r} is not known to this version of Quipu"
        )
    present = formula.collect(graph, fact.subject)
    recomputed = formula.compute(present)
    notes: list[str] = []
    if formula.version != made.version:
        notes.append(
            f"the formula is version {formula.version} now, it was {made.version}: {formula.text}"
        )
    changes = _changes(made.inputs, present)
    notes += [_change_note(change) for change in changes if change.changed]
    holds = recomputed == made.output
    if not holds:
        notes.append(
            f"no longer holds: {made.output:g} was recorded, the inputs give {recomputed:g} now"
        )
    return Explanation(
        fact_id=fact_id,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        formula=made.formula,
        version=made.version,
        text=made.text,
        inputs=changes,
        output=made.output,
        recomputed=recomputed,
        holds=holds,
        notes=tuple(notes),
    )


def _changes(then: Sequence[Input], now: Sequence[Input]) -> tuple[InputChange, ...]:
    before = {each.name: each for each in then}
    after = {each.name: each for each in now}
    both = {**before, **after}
    values = {
        name: tuple(side[name].values if name in side else None for side in (before, after))
        for name in sorted(both)
    }
    return tuple(
        InputChange(
            name=name, record_ids=both[name].record_ids, then=old, now=new, changed=old != new
        )
        for name, (old, new) in values.items()
    )


def _change_note(change: InputChange) -> str:
    if change.now is None:
        return f"the input {change.name!r} is gone"
    if change.then is None:
        return f"the input {change.name!r} is new"
    return f"the input {change.name!r} changed from {_shown(change.then)} to {_shown(change.now)}"


def _shown(values: Mapping[str, float | str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(values.items()))
