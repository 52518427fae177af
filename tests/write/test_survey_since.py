"""Sources after a change, from those before it: what reading all of them would give."""

import random

from tests.contract.store_sample import chunk, episode, moment

from quipu.records.batch import Batch
from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.write.survey import sources_since


def test_only_what_changed_is_read_and_all_is_there(monkeypatch) -> None:
    draw = random.Random(3)
    store = InMemoryStore(Shelf(), namespace="default")
    asked: list[int] = []
    every = store.sources

    def counted(*args, **options):
        asked.append(len(options.get("refs", ())))
        return every(*args, **options)

    for step in range(80):
        before, sequence = every(), store.sequence()
        ref = f"docs/{draw.randrange(12)}.md"
        if draw.random() < 0.2:
            store.forget([ref])
        else:
            of = episode(ref, f"{draw.randrange(5)}", at=moment(1 + step % 20))
            gone = (f"docs/{draw.randrange(12)}.md",) if draw.random() < 0.3 else ()
            store.write(
                Batch(
                    recorded_at=moment(1 + step % 20),
                    episodes=(of,),
                    chunks=(chunk(of, 0, "text"),),
                    replaces=tuple(dict.fromkeys((ref, *gone))),
                )
            )
        monkeypatch.setattr(store, "sources", counted)
        found = sources_since(store, before, sequence)
        monkeypatch.undo()
        assert found == every()
    assert asked
    assert 0 not in asked  # never all of them


def test_after_many_changes_all_are_read() -> None:
    store = InMemoryStore(Shelf(), namespace="default")
    of = episode("docs/a.md", "A", at=moment(1))
    chunks = tuple(chunk(of, n, f"w{n}") for n in range(9))
    store.write(Batch(recorded_at=moment(1), episodes=(of,), chunks=chunks))
    gone = (store.sources()[0]._replace(source_ref="docs/gone.md", episode_id="ep_gone"),)
    assert sources_since(store, gone, 0, most_changes=3) == store.sources()
    assert sources_since(store, gone, 0) != store.sources()
