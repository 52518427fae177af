"""Measurements as a person reads them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.serve.meanings import keys

if TYPE_CHECKING:  # pragma: no cover
    from quipu.evaluate.golden import GoldenReport

__all__ = ["figure_lines", "golden_lines"]

_ROOM = 24
_UNITS = ("_s", "_ms", "_mb")


def figure_lines(figures: msgspec.Struct) -> Iterator[str]:
    """Every figure that is known, a line each: rates in percent, others in the unit of their
    name."""
    for key in keys(type(figures)):
        yield from _figure(key.name, key.name, getattr(figures, key.name))


def _figure(key: str, name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict) and any(isinstance(each, dict) for each in value.values()):
        for inner, each in value.items():
            yield from _figure(key, f"{name} {inner}", each)
    elif isinstance(value, dict):
        shown = (f"{_labelled(inner)} {_shown(key, each)}" for inner, each in value.items())
        yield safe(f"{name:<{_ROOM}} {'   '.join(shown)}", line=True)
    elif value is not None:
        yield safe(f"{name:<{_ROOM}} {_shown(key, value)}", line=True)


def _labelled(name: str) -> str:
    return f"@{name}" if name.isdigit() else name


def _shown(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}" if key.endswith(_UNITS) else f"{100 * value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def golden_lines(report: "GoldenReport") -> Iterator[str]:
    """A question a line, why it failed, and the verdict."""
    failed = 0
    for each in report.results:
        mark = style("pass", fg="green") if each.passed else style("FAIL", fg="red")
        yield f"{mark}  {safe(each.question, line=True)}"
        failed += not each.passed
        for reason in each.reasons:
            yield from wrapped(reason, indent="      ")
    yield f"{len(report.results) - failed:,} of {len(report.results):,} golden questions passed."
