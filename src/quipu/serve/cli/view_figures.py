"""Measurements as a person reads them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quipu.evaluate.retrieval import Evaluation
from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:  # pragma: no cover
    from quipu.evaluate.facts import FactsEvaluation
    from quipu.evaluate.golden import GoldenReport
    from quipu.kinds.commits.evaluate import IncidentsEvaluation
    from quipu.kinds.conversations.evaluate import MemoryEvaluation

    _Timed = Evaluation | FactsEvaluation | IncidentsEvaluation | MemoryEvaluation

__all__ = ["evaluation_lines", "facts_lines", "golden_lines", "incidents_lines",
           "memory_lines"]  # fmt: skip


def evaluation_lines(figures: Evaluation) -> Iterator[str]:
    """Rates in percent, then times and memory."""
    skipped = f" ({figures.without_gold:,} without gold passed over)" * bool(figures.without_gold)
    yield style(f"{safe(figures.dataset)}: {figures.queries:,} questions{skipped}", bold=True)
    for name, rates in (
        ("recall", figures.recall),
        ("all gold", figures.all_gold),
        ("nDCG", figures.ndcg),
        ("MRR", figures.mrr),
    ):
        shown = "   ".join(f"@{k} {100 * rate:5.1f}" for k, rate in rates.items())
        yield f"  {name:<9} {shown}"
    yield from _times(figures)
    yield f"  {'memory':<9} {figures.peak_rss_mb:,.0f} MB at most"
    if figures.auroc is not None:
        yield f"  AUROC of confidence {figures.auroc:.3f}"


def facts_lines(figures: "FactsEvaluation") -> Iterator[str]:
    """Rates in percent, then times."""
    yield style(f"{safe(figures.dataset)}: {figures.queries:,} questions", bold=True)
    as_of, beside = 100 * figures.as_of_hit1, 100 * figures.before_after_hit1
    yield f"  as of         hit@1 {as_of:5.1f}   of {figures.as_of_queries:,}"
    yield f"  before/after  hit@1 {beside:5.1f}   of {figures.before_after_queries:,}"
    yield from _times(figures, 13)


def memory_lines(figures: "MemoryEvaluation") -> Iterator[str]:
    """Rates in percent, then times and memory."""
    yield style(f"{safe(figures.dataset)}: {figures.queries:,} questions", bold=True)
    for name, rates in (("recall", figures.recall), ("recall@10", figures.groups)):
        shown = "   ".join(f"{safe(k, line=True)} {100 * rate:.1f}" for k, rate in rates.items())
        yield f"  {name:<9} {shown}"
    for name, rate in (
        ("updated above original", figures.updated_above_original),
        ("both sides in ten", figures.both_sides),
        ("AUROC of confidence", figures.auroc),
    ):
        if rate is not None:
            yield f"  {name:<22} {100 * rate:.1f}"
    yield from _times(figures)


def incidents_lines(figures: "IncidentsEvaluation") -> Iterator[str]:
    """Rates in percent by track and kind, then times."""
    kinds = ", ".join(f"{safe(kind, line=True)} {n:,}" for kind, n in figures.queries.items())
    yield style(f"{safe(figures.dataset)}: {figures.commits:,} commits, {kinds}", bold=True)
    for track, by_kind in figures.hit.items():
        for kind, hits in by_kind.items():
            shown = "   ".join(f"hit@{k} {100 * rate:5.1f}" for k, rate in hits.items())
            mrr = 100 * figures.mrr[track][kind]
            yield f"  {track}  {safe(kind, line=True):<10} {shown}   MRR@10 {mrr:5.1f}"
    yield from _times(figures)


def _times(figures: "_Timed", room: int = 9) -> Iterator[str]:
    latency = "   ".join(f"{name} {ms:.1f}" for name, ms in figures.latency_ms.items())
    yield f"  {'latency':<{room}} {latency}   ms"
    yield f"  {'written':<{room}} in {figures.index_s:.1f} s, embedded in {figures.embed_s:.1f} s"


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
