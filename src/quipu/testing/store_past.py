"""What every store promises about the past it is given: part of `StoreContract`."""

import msgspec

from quipu.ports import Store
from quipu.records.batch import Batch, Claim, Period
from quipu.records.record import Episode, record_id
from quipu.testing.store_sample import chunk, document, episode, moment, thing

__all__ = ["PastContract"]


def _version(version: str) -> Episode:
    return episode("a", version, at=moment(0))


class PastContract:
    """Periods of support, out of one store and into another."""

    def _filled(self, store: Store) -> None:
        one, two = _version("1"), _version("2")
        entity = thing("X", at=moment(0))
        for number, each in enumerate((one, two), 1):
            passage = chunk(each, 0, f"text {number}")
            claims = (
                Claim(document(each), each.episode_id),
                Claim(entity, each.episode_id, (passage.chunk.chunk_id,)),
            )
            store.write(
                Batch(
                    recorded_at=moment(number),
                    episodes=(each,),
                    chunks=(passage,),
                    claims=claims,
                    replaces=("a",),
                )
            )

    def test_periods_tell_all_that_episodes_asserted(self, store: Store) -> None:
        self._filled(store)
        one, two = _version("1").episode_id, _version("2").episode_id
        found = store.periods([one, two, "ep_unknown"])
        assert list(found) == [one, two, "ep_unknown"]
        assert found["ep_unknown"] == []
        assert {(p.recorded_at, p.known_until) for p in found[one]} == {(moment(1), moment(2))}
        assert {(p.recorded_at, p.known_until) for p in found[two]} == {(moment(2), None)}
        for periods in found.values():
            ids = [record_id(p.record) for p in periods]
            assert ids == sorted(ids)
            assert len(ids) in {0, 4}

    def test_entities_are_found_by_a_text_property(self, store: Store) -> None:
        self._filled(store)
        here = episode("b", "1", at=moment(0))
        kept = msgspec.structs.replace(document(here), properties={"until": "2026-01-31"})
        other = msgspec.structs.replace(thing("Y", at=moment(0)), properties={"until": 7})
        claims = tuple(Claim(each, here.episode_id) for each in (kept, other))
        store.write(Batch(recorded_at=moment(5), episodes=(here,), claims=claims))
        assert [e.entity_id for e in store.with_property("until")] == [kept.entity_id]
        assert store.with_property("2026-01-31") == []
        store.forget(["b"])
        assert store.with_property("until") == []

    def test_a_past_that_is_given_is_the_past(self, store: Store) -> None:
        entity, gone = thing("X", at=moment(0)), _version("1")
        here = episode("b", "1", at=moment(0))
        past = (
            Period(gone, gone.episode_id, moment(1), moment(3)),
            Period(entity, gone.episode_id, moment(1), moment(2), ("ch_00",)),
        )
        batch = Batch(
            recorded_at=moment(9),
            episodes=(here,),
            claims=(Claim(entity, here.episode_id),),
            past=past,
            known_since={
                (here.episode_id, here.episode_id): moment(4),
                (entity.entity_id, here.episode_id): moment(5),
            },
        )
        store.write(batch)
        assert list(store.get([gone.episode_id], known_at=moment(2))) == [gone.episode_id]
        assert store.get([gone.episode_id], known_at=moment(3)) == {}
        assert store.get([gone.episode_id]) == {}
        assert list(store.get([entity.entity_id], known_at=moment(1))) == [entity.entity_id]
        assert store.get([entity.entity_id], known_at=moment(3)) == {}
        assert list(store.get([entity.entity_id], known_at=moment(5))) == [entity.entity_id]
        assert [s.episode_id for s in store.sources()] == [here.episode_id]
        sequence = store.sequence()
        assert store.write(batch).changes == 0
        assert store.sequence() == sequence
        assert store.forget(["a"]) == 1
        assert store.periods([gone.episode_id]) == {gone.episode_id: []}
        assert list(store.get([entity.entity_id])) == [entity.entity_id]
