"""Other systems beside this one: the same passages, weights and questions, each as it comes.

    python -m bench.peers FOLDER [--only NAME,NAME] [--environments DIR]
    python -m bench.peers --list

FOLDER holds `corpus.jsonl` (`id`, `text`, `title`), `queries.jsonl` (`id`, `text`) and `qrels.tsv`,
as BEIR's do. Every peer has an environment of its own with every version pinned (the first run
installs them: PyTorch is 5 GB) and the same published weights; nothing else is downloaded and no
server asked. Questions are put as they are, each once to each peer, so that no cache knows it;
peers take turns, a part of the questions at a time. `--cores 1` holds them all to one core: on a
busy machine the threads of PyTorch wait for each other longer than they work. What fails is told as
a failure in its row and by the exit status. In `bench/out/peers.json` are the figures, those of the
processor (all threads) beside the clock's.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.measure import percentile
from bench.peers.environments import interpreter
from bench.peers.model import model_folder
from bench.peers.peers import PEERS, Peer
from bench.peers.process import read_passages
from bench.peers.trial import Trial

_WARM_UP, _FIRST = 5, 5
_ENVIRONMENTS = Path.home() / ".cache" / "quipu-bench" / "peers"


def main(arguments: list[str]) -> int:
    """List or measure; 1 when a peer failed."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, nargs="?", help="the corpus and its questions")
    parser.add_argument("--list", action="store_true", help="peers, versions, how they come")
    parser.add_argument("--only", help="names of peers, with commas")
    parser.add_argument("--environments", type=Path, default=_ENVIRONMENTS)
    parser.add_argument("--here", action="store_true", help="no environments: this one's packages")
    parser.add_argument("--cores", type=int, help="hold everything measured to as many cores")
    parser.add_argument("--rounds", type=int, default=4, help="parts the questions are put in")
    parser.add_argument("--passages", type=int, help="only as many: those with gold, then in order")
    parser.add_argument("--out", type=Path, default=Path("bench/out/peers.json"))
    chosen = parser.parse_args(arguments)
    if chosen.list or chosen.folder is None:
        for peer in PEERS:
            print(f"{peer.name:<8} {peer.package} {peer.version}: {peer.comes_with}")
        return 0 if chosen.list else 2
    names = set(chosen.only.split(",")) if chosen.only else {peer.name for peer in PEERS}
    if unknown := names - {peer.name for peer in PEERS}:
        parser.error(f"no peer is called {', '.join(sorted(unknown))}; see --list")
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        if not (chosen.folder / name).is_file():
            parser.error(f"there is no {name} in {str(chosen.folder)!r}")
    peers = [peer for peer in PEERS if peer.name in names]

    def python(peer: Peer) -> Path:
        return Path(sys.executable) if chosen.here else interpreter(peer, chosen.environments)

    def keep(figures: dict[str, Any]) -> None:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")

    if chosen.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-chosen.cores :])
    model = model_folder(chosen.environments)
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        corpus = _part(chosen.folder, Path(scratch), chosen.passages)
        figures = measure(corpus, peers, python, model, rounds=chosen.rounds, progress=keep)
    keep(figures)
    print(table(figures))
    return int(any("failed" in row for row in figures.values()))


def measure(
    folder: Path,
    peers: list[Peer],
    python: Callable[[Peer], Path],
    model: Path,
    *,
    rounds: int = 4,
    progress: Callable[[dict[str, Any]], None] = lambda _: None,
) -> dict[str, Any]:
    """The figures of each peer by name; of one that failed, where and what it said.

    `progress` is given those that there are after every step.
    """
    questions, gold = _questions(folder), _gold(folder)
    asked = {key: text for key, text in questions.items() if key in gold}
    titles = [passage.whole[:60] for passage in read_passages(folder)]
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        trials = [Trial(peer, Path(scratch), model, folder) for peer in peers]

        def found() -> dict[str, Any]:
            return {trial.peer.name: _row(trial, gold) for trial in trials}

        for trial in trials:
            trial.step("install", lambda t=trial: t.install(python(t.peer)))
            trial.step("index", trial.index)
            progress(found())
        for number in range(rounds):
            part = {key: asked[key] for key in list(asked)[number::rounds]}
            warm_up = titles[number * _WARM_UP :][:_WARM_UP]
            cold = {"cold": titles[-1 - number]}
            for trial in trials:
                trial.step("search", lambda t=trial, p=part, w=warm_up: t.search(p, w))
                trial.step("cold start", lambda t=trial, c=cold: t.begin(c))
                progress(found())
        return found()


def _row(trial: Trial, gold: dict[str, set[str]]) -> dict[str, Any]:
    peer = trial.peer
    row: dict[str, Any] = {"version": f"{peer.package} {peer.version}", "as": peer.comes_with}
    if trial.failed:
        return row | {"failed": trial.failed}
    if trial.indexing:
        row |= {"passages": trial.passages, "index": trial.indexing, "disk_mb": trial.disk_mb()}
        row |= {"installed_mb": trial.installed_mb, "distributions": trial.distributions}
    if trial.hits:
        row |= {
            "questions": len(trial.hits),
            "R@5": round(100 * recall(trial.hits, gold), 1),
            "search_ms": {
                name: {f"p{round(100 * s)}": round(percentile(times, s), 1) for s in (0.5, 0.95)}
                for name, times in (("clock", trial.clock_ms), ("processor", trial.processor_ms))
            },
            "resident_mb": round(max(trial.resident_mb)),
        }
    if trial.cold:
        row["cold_start_s"] = {
            "clock": round(statistics.median(run.wall_s for run in trial.cold), 2),
            "processor": round(statistics.median(run.processor_s for run in trial.cold), 2),
        }
    return row


def recall(hits: dict[str, list[str]], gold: dict[str, set[str]]) -> float:
    """The mean share of a question's gold among its first five hits, in [0, 1]."""
    shares = [len(set(found[:_FIRST]) & gold[key]) / len(gold[key]) for key, found in hits.items()]
    return statistics.fmean(shares)


def table(figures: dict[str, Any]) -> str:
    """Markdown, a row a peer."""
    return "\n".join(_lines(figures))


def _lines(figures: dict[str, Any]) -> Iterator[str]:
    titles = (
        "",
        "R@5",
        "index (processor)",
        "passages/s",
        "search p50 · p95 (processor)",
        "resident",
        "disk",
        "cold start (processor)",
        "installed (distributions)",
    )
    yield f"| {' | '.join(titles)} |"
    yield "|---" * len(titles) + "|"
    for name, row in figures.items():
        if "failed" in row:
            yield f"| {name} ({row['version']}) | **failed: {row['failed']}** |" + " |" * 7
            continue
        if "cold_start_s" not in row:
            yield f"| {name} ({row['version']}) | not measured |" + " |" * 7
            continue
        index, clock, busy = row["index"], row["search_ms"]["clock"], row["search_ms"]["processor"]
        cold = row["cold_start_s"]
        yield (
            f"| {name} ({row['version']}) | {row['R@5']} | {index['s']} s ({index['processor_s']}) "
            f"| {index['passages_per_s']} | {clock['p50']} · {clock['p95']} ms "
            f"({busy['p50']} · {busy['p95']}) | {row['resident_mb']} MB | {row['disk_mb']} MB "
            f"| {cold['clock']} s ({cold['processor']}) "
            f"| {row['installed_mb']:,} MB ({row['distributions']}) |"
        )


def _part(folder: Path, scratch: Path, passages: int | None) -> Path:
    """The folder, or one below `scratch` with fewer passages."""
    if passages is None:
        return folder
    gold = set[str]().union(*_gold(folder).values())
    rows = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    rows.sort(key=lambda row: str(json.loads(row)["id"]) not in gold)
    (scratch / "corpus.jsonl").write_text("\n".join(rows[:passages]), encoding="utf-8")
    for name in ("queries.jsonl", "qrels.tsv"):
        shutil.copyfile(folder / name, scratch / name)
    return scratch


def _questions(folder: Path) -> dict[str, str]:
    with (folder / "queries.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return {str(row["id"]): row["text"] for row in rows}


def _gold(folder: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    lines = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        question, passage, score = line.split("\t")
        if float(score) > 0:
            found.setdefault(question, set()).add(passage)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
