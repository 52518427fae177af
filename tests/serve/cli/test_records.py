"""`get`, `add`, `forget`, `facts` and `relation`: single records, in and out."""

from pathlib import Path
from typing import Any

import pytest


def test_get_opens_every_id_that_a_reply_names(quipu, project: Path) -> None:
    hit = quipu("search", "--json", "charge card").document["hits"][0]
    chunk = quipu("get", "--json", hit["id"]).document
    assert (chunk["kind"], chunk["record"]["text"]) == ("chunk", hit["text"])
    document = quipu("get", "--json", hit["document_id"]).document
    assert document["kind"] == "entity"
    assert [c["chunk_id"] for c in document["chunks"]].count(hit["id"]) == 1
    assert document["support"]
    for graph_id in hit["graph_ids"]:
        assert quipu("get", "--json", graph_id).document["record"]
        assert quipu("get", graph_id).code == 0


def test_a_speaker_is_shown_with_what_was_stated_and_every_turn(quipu, project: Path) -> None:
    said = (
        '{"speaker": "Nadia", "text": "I live in Bern.", "session": "s"}\n'
        '{"speaker": "Nadia", "text": "The kiosk was shut again.", "session": "s"}\n'
    )
    assert quipu("ingest", "-", stdin=said).code == 0
    assert quipu("state", "Nadia: lives in = Bern").code == 0
    shown = quipu("get", "Nadia").out
    assert "Nadia lives in Bern" in shown
    assert "session:s#1" in shown
    assert "session:s#2" in shown
    facts = quipu("get", "Nadia", "--json").document["facts"]
    assert [fact["object"] for fact in facts] == ["Bern"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252"])
def test_a_text_is_read_in_the_encoding_of_its_file(quipu, project: Path, encoding: str) -> None:
    (project / "note.txt").write_bytes("The café opens at nine.".encode(encoding))
    added = quipu("add", "--file", "note.txt", "--source-ref", "note")
    assert added.code == 0, added.err
    assert quipu("get", "--json", "note:1").document["record"]["text"] == "The café opens at nine."
    assert ("Windows-1252" in added.err) == (encoding == "cp1252")


@pytest.mark.parametrize("verb", ["history", "facts", "brief", "audit"])
def test_a_name_that_nobody_knows_leads_to_the_nearest(quipu, project: Path, verb: str) -> None:
    said = '{"speaker": "Nadia", "text": "I live in Bern."}'
    assert quipu("ingest", "-", stdin=said).code == 0
    outcome = quipu(verb, "Nadja")
    assert outcome.code == 0
    assert "nearest are 'Nadia'" in outcome.err
    assert not quipu(verb, "Nadia").err
    assert not quipu(verb, "Nadja", "--quiet").err


def test_what_is_added_is_found_and_what_is_forgotten_is_gone(quipu, project: Path) -> None:
    episode_id = quipu("add", "--json", "The numbat eats termites.").document["episode_id"]
    assert quipu("search", "--json", "numbat").document["hits"]
    assert quipu("forget", "--json", "--yes", episode_id).document["episodes"] == 1
    assert not quipu("search", "--json", "numbat").document["hits"]
    assert quipu("forget", "--yes", episode_id).code == 2


@pytest.mark.parametrize("what", ["docs/payments.md", "--expired"])
def test_without_a_terminal_nothing_is_erased_unless_it_is_said(
    quipu, project: Path, what: str
) -> None:
    refused = quipu("forget", what)
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert quipu("get", "docs/payments.md").code == 0
    assert quipu("forget", "--yes", what).code == 0


def test_a_text_comes_from_a_file_or_a_pipe(quipu, project: Path) -> None:
    (project / "note.txt").write_text("The wombat digs.", "utf-8-sig")
    assert quipu("add", "--file", "note.txt", "--source-ref", "notes:1").code == 0
    assert quipu("add", "-", "--source-ref", "notes:2", stdin="The quokka smiles.").code == 0
    found = quipu("search", "--json", "wombat").document["hits"]
    assert found[0]["path"] == "notes:1"
    assert not found[0]["text"].startswith("\ufeff")
    assert quipu("search", "--json", "quokka").document["hits"][0]["path"] == "notes:2"
    assert quipu("add", "text", "--file", "note.txt").code == 2
    assert quipu("add", "   ").code == 2


def test_a_relation_is_added_listed_changed_and_removed(quipu, project: Path) -> None:
    ends = ("docs/payments.md", "docs/ledger.md")
    made = quipu("relation", "add", ends[0], "depends on", ends[1], "--json").document
    assert made["type"] == "DEPENDS_ON"
    listed = quipu("relation", "list", ends[0], "--type", "depends_on", "--json").document
    assert [each["rel_id"] for each in listed["relations"]] == [made["rel_id"]]
    words = ("--confidence", "0.25", "--description", "for bookings", "--property", "since=2024")
    quipu("relation", "update", made["rel_id"], *words)
    changed = quipu("get", "--json", made["rel_id"]).document["record"]
    assert (changed["confidence"], changed["description"]) == (0.25, "for bookings")
    assert changed["properties"]["since"] == "2024"
    shown = quipu("relation", "list", ends[0]).out
    assert "docs/payments.md —DEPENDS_ON→ docs/ledger.md" in shown
    assert quipu("relation", "rm", made["rel_id"]).code == 0
    left = quipu("relation", "list", ends[0], "--type", "depends_on", "--json").document
    assert left["relations"] == []
    assert quipu("relation", "rm", made["rel_id"]).code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("add", "the door is open", "--observed-at", "yesterday at 10:30"),
        ("add", "the door is open", "--expires", "7d"),
        ("state", "door owner = Bo", "--since", "1/2/2026"),
    ],
)
def test_a_date_that_is_stored_is_not_guessed_from_words(
    project: Path, quipu: Any, words: tuple[str, ...]
) -> None:
    refused = quipu(*words)
    assert (refused.code, words[-1] in refused.err) == (2, True)
    assert quipu("facts", "--as-of", "yesterday").code == 0


def test_facts_are_stated_with_what_they_replace(quipu, project: Path) -> None:
    first = quipu("state", "--json", "the billing owner = Erik", "--since", "2026-01-01").document
    made = quipu("state", "billing owner = Dagny", 'Billing: deploy days = ["Mon", "Tue"]')
    assert made.out.startswith("stated: Owner of the billing: Dagny")
    assert "replaces: the billing owner = Erik" in made.out
    assert "other keys: the billing deploy days = Mon, Tue" in made.out
    erik = first["stated"][0]["fact"]["fact_id"]
    assert quipu("state", "--retracts", erik).out.startswith(
        "retracted: Owner of the billing: Erik"
    )
    assert quipu("state", "billing owner", "--ends").out.startswith("ended: ")
    (project / "facts.json").write_text('[{"subject": "x"}, 3]', "utf-8")
    refused = quipu("state", "--file", "facts.json")
    assert (refused.code, "no list of statements" in refused.err) == (2, True)
    for nothing in ("billing owner", "billing owner = "):
        refused = quipu("state", nothing)
        assert (refused.code, "is given no 'owner'" in refused.err) == (2, True)
