"""What every store promises about relations one hop away: part of `StoreContract`."""

from quipu.ports import Store
from quipu.records.batch import Batch, Claim
from quipu.testing.store_sample import VERSION_A, moment, one_source, relation, thing

__all__ = ["NeighborsContract"]


class NeighborsContract:
    """Relations, in order, and of many the first."""

    def test_neighbors_are_one_hop_in_order_and_bounded(self, store: Store) -> None:
        things = [thing(name, at=moment(1)) for name in ("hub", "p", "q", "r")]
        hub = things[0].entity_id
        ties = [
            relation(hub, kind, other.entity_id, at=moment(1))
            for other in things[1:]
            for kind in ("USES", "BLOCKS")
        ]
        ties.append(relation(things[1].entity_id, "USES", hub, at=moment(1)))
        store.write(
            one_source(
                VERSION_A,
                "a",
                at=1,
                claims=tuple(Claim(r, VERSION_A.episode_id) for r in (*things, *ties)),
            )
        )
        out = store.neighbors([hub], limit_per_id=4)[hub]
        assert [r.type for r in out] == ["BLOCKS", "BLOCKS", "USES", "USES"]  # types take turns
        assert [r.target_entity_id for r in out[:2]] == sorted(t.entity_id for t in things[1:])[:2]
        assert len(store.neighbors([hub], types=frozenset({"USES"}))[hub]) == 3
        assert len(store.neighbors([hub], direction="in")[hub]) == 1
        assert len(store.neighbors([hub], direction="both")[hub]) == 7
        assert store.neighbors(["en_unknown"]) == {"en_unknown": []}

    def test_of_many_relations_each_type_has_its_share(self, store: Store) -> None:
        hub, rare = thing("hub", at=moment(1)), thing("rare", at=moment(1))
        many = [thing(f"p{i:03d}", at=moment(1)) for i in range(40)]
        ties = [relation(hub.entity_id, "BLOCKS", each.entity_id, at=moment(1)) for each in many]
        ties.append(relation(hub.entity_id, "USES", rare.entity_id, at=moment(1)))
        claims = tuple(Claim(r, VERSION_A.episode_id) for r in (hub, rare, *many, *ties))
        store.write(one_source(VERSION_A, "a", at=1, claims=claims))
        gone = sorted(many, key=lambda each: each.entity_id)[:15]
        store.write(Batch(recorded_at=moment(2), ends=tuple(each.entity_id for each in gone)))
        for limit in (1, 2, 5, 25, 26, 100):
            kept = store.neighbors([hub.entity_id], limit_per_id=limit)[hub.entity_id]
            assert len(kept) == min(limit, 26)
            assert [r.type for r in kept].count("USES") == (limit > 1)
            left = [r.target_entity_id for r in kept if r.type == "BLOCKS"]
            live = sorted(each.entity_id for each in many if each not in gone)
            assert left == live[: len(left)]
