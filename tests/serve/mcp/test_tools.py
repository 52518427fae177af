"""The tools as a client sees them: names, shapes that are promised, bounds, errors."""

import json
import re
from typing import Any

import anyio
import jsonschema
import msgspec
import pytest
from mcp import Client
from tests.rows import rows

from quipu.errors import CorruptStore
from quipu.kinds.incidents.model import IncidentReport
from quipu.memory import Memory
from quipu.serve.mcp import PROFILES, Profile, build_server
from quipu.serve.mcp.server import tools_of
from quipu.serve.mcp.tool import Result
from quipu.serve.shapes import keys

DEFAULT = """
    memory_search memory_get memory_store memory_state memory_recall memory_context_pack
    memory_audit ask explore
""".split()
FULL = (
    DEFAULT
    + """
    impact memory_ingest memory_query memory_index_status graph_search graph_inspect
    graph_path fact_query_at_time memory_proposals incident_similar incident_recommend
    outcome_record
""".split()
)
KEPT = """
    create_entities create_relations add_observations delete_entities delete_observations
    delete_relations read_graph search_nodes open_nodes
""".split()
ARGUMENTS: dict[str, dict[str, Any]] = dict(rows(__file__, "tools_arguments"))


def _tools(memory: Memory, profile: Profile, **options: Any) -> list[Any]:
    async def listed() -> list[Any]:
        async with Client(build_server(memory, profile=profile, **options)) as client:
            return (await client.list_tools()).tools

    return anyio.run(listed)


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        ("default", DEFAULT),
        ("full", FULL),
        ("server-memory", KEPT),
    ],
)
def test_a_profile_has_its_tools(held: Memory, profile: Profile, names: list[str]) -> None:
    assert [tool.name for tool in _tools(held, profile)] == names


@pytest.mark.parametrize("profile", PROFILES)
def test_every_tool_has_a_title_hints_and_a_schema_for_strict_clients(
    held: Memory, profile: Profile
) -> None:
    for tool in _tools(held, profile):
        assert tool.title
        assert len(tool.description) > 20
        hints = tool.annotations
        assert hints.read_only_hint is True or None not in (
            hints.destructive_hint,
            hints.idempotent_hint,
        )
        assert hints.open_world_hint is False
        assert tool.input_schema["type"] == "object"
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert not {"$ref", "null"} & set(
            re.findall(r'\$ref|(?<="type": ")null', json.dumps(tool.input_schema))
        )


@pytest.mark.parametrize(
    ("profile", "most"),
    [("default", 8_000), ("full", 16_000), ("server-memory", 6_000)],
)
def test_every_key_of_a_result_is_explained_and_the_list_is_bounded(
    held: Memory, profile: Profile, most: int
) -> None:
    for tool in tools_of(held, profile):
        gives: Any = vars(tool)["gives"]
        if gives is Result:  # as the official server has it
            continue
        unsaid = {field.encode_name for field in msgspec.structs.fields(gives)}
        assert unsaid <= {key.name for key in keys(gives)}, tool.name
    listed = [t.model_dump(by_alias=True, exclude_none=True) for t in _tools(held, profile)]
    assert len(json.dumps(listed)) < most


def test_a_server_that_only_reads_has_no_tool_that_writes(held: Memory) -> None:
    assert [tool.name for tool in _tools(held, "default", read_only=True)] == [
        name for name in DEFAULT if name not in {"memory_store", "memory_state"}
    ]
    assert [tool.name for tool in _tools(held, "server-memory", read_only=True)] == KEPT[6:]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_tool_gives_what_its_page_promises(held: Memory, call: Any, name: str) -> None:
    if name == "outcome_record":
        held.incidents.add(IncidentReport(component="ledger", incident_id="inc_held"))
    result = call(name, "full", **ARGUMENTS[name])
    assert not result.is_error, result.content[0].text
    gives: Any = {tool.name: vars(tool)["gives"] for tool in tools_of(held, "full")}[name]
    asked = {f.encode_name for f in msgspec.structs.fields(gives) if f.required}
    assert asked <= set(result.structured_content)
    assert json.loads(result.content[0].text) == result.structured_content
    assert len(result.content[0].text) < 50_000


def test_memory_search_has_the_promised_shape(given: Any) -> None:
    found = given("memory_search", query="who owns the payment service?", minScore=0)
    assert {"results", "provider", "model", "fallback", "citations"} <= set(found)
    assert (found["provider"], found["fallback"], found["citations"]) == ("local", None, "on")
    first = found["results"][0]
    assert {"path", "startLine", "endLine", "score", "snippet", "source", "citation"} <= set(first)
    assert (first["path"], first["source"]) == ("docs/payments.md", "memory")
    assert first["citation"] == f"docs/payments.md#L{first['startLine']}-L{first['endLine']}"
    assert {"source_ref", "why_ranked", "temporal_context"} <= set(first)
    sessions = given("memory_search", query="Eva lives in Oslo", minScore=0)["results"]
    turn = next(each for each in sessions if each["path"] == "session:s2#1")
    assert (turn["source"], turn["citation"]) == ("sessions", "session:s2#1#L1")


def test_a_memory_that_cannot_be_searched_says_so(
    held: Memory, given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise CorruptStore("the database is damaged")

    monkeypatch.setattr(held, "search", broken)
    assert given("memory_search", query="x") == {
        "results": [],
        "disabled": True,
        "error": "the database is damaged",
    }


def test_memory_store_and_recall_have_the_promised_shapes(given: Any) -> None:
    stored = given("memory_store", category="decision", content="Ship on Tuesdays", tags="a, b")
    assert {"id", "category", "stored", "deduplicated", "tokenCost"} <= set(stored)
    assert (stored["stored"], stored["deduplicated"]) == (True, False)
    again = given("memory_store", category="decision", content="Ship on Tuesdays!", tags=["c"])
    assert (again["deduplicated"], again["mergedWithId"]) == (True, stored["id"])
    found = given("memory_recall", query="when do we ship", include_context=True)
    assert {"entries", "tokenCount", "budgetRemaining", "totalEntriesMatched", "fallback"} <= set(
        found
    )
    assert found["entries"][0]["tags"] == ["a", "b", "c"]
    assert found["tokenCount"] + found["budgetRemaining"] == 3000


def test_memory_ingest_has_the_promised_shape(given: Any) -> None:
    items = [
        {"kind": "message", "text": "We moved to Kafka.", "metadata": {"speaker": "Ann"}},
        {"kind": "message", "text": " "},
    ]
    done = given("memory_ingest", items=items, source="chat", sessionKey="k1", traceId="t1")
    assert {"ok", "tool", "runId", "batchId", "warnings", "contract"} <= set(done)
    assert (done["ok"], done["accepted"], done["traceId"]) == (False, 1, "t1")
    stages = "normalize extract enrich embed graph index audit".split()
    assert done["contract"]["stages"] == stages
    assert given("memory_get", path="session:k1")["text"].endswith("We moved to Kafka.")


def test_long_lists_come_by_pages_of_one_question(given: Any, call: Any) -> None:
    for n in range(20):
        text = f"Decision {n}: the harbour is dug {n} metres deep, as the board said in its report."
        given("memory_store", category="decision", content=text)
    first = given("memory_recall", query="how deep is the harbour dug?")
    cursor = first["next_cursor"]
    more = given("memory_recall", query="how deep is the harbour dug?", cursor=cursor)
    assert all(len(json.dumps(page)) <= 4_000 for page in (first, more))
    ids = [entry["id"] for page in (first, more) for entry in page["entries"]]
    assert len(ids) == len(set(ids)) > 5
    other = call("memory_recall", query="who dug the harbour?", cursor=cursor)
    assert other.is_error
    assert "no cursor of this list" in other.content[0].text


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    rows(__file__, "bad_arguments_are_tool_errors"),
)
def test_bad_arguments_are_tool_errors(
    call: Any, name: str, arguments: dict[str, Any], words: str
) -> None:
    result = call(name, **arguments)
    assert result.is_error
    assert words in result.content[0].text


@pytest.mark.parametrize(
    ("name", "arguments", "to_do"),
    [
        ("memory_get", {"path": "x" * 1_000_000}, "`quipu search` finds by content"),
        ("graph_inspect", {"ref": "x" * 1_000_000}, "'ref'"),
        ("memory_recall", {"query": "x", "time_window": "x" * 1_000_000}, "'time_window'"),
        ("memory_query", {"query": "x", "after": "x" * 1_000_000}, "'after'"),
    ],
)
def test_what_was_given_does_not_drown_what_to_do(
    call: Any, name: str, arguments: dict[str, Any], to_do: str
) -> None:
    result = call(name, **arguments)
    assert result.is_error
    assert len(result.content[0].text) < 2_000
    assert to_do in result.content[0].text


def test_the_index_is_a_resource(held: Memory, talk: Any) -> None:
    async def asked(client: Client) -> str:
        content: Any = (await client.read_resource("quipu://index")).contents[0]
        return content.text

    page = talk(build_server(held), asked)
    assert page.startswith("# What this memory holds")
    assert len(page) <= 6000


def test_items_that_cannot_be_read_do_not_end_the_others(given: Any) -> None:
    good = {"kind": "text", "text": "The ferry leaves at noon."}
    items = [{"kind": "text"}, good, 7, {"kind": "turn", "text": 5}, {"text": "x", "note": 1}]
    done = given("memory_ingest", items=items, sessionKey="s")
    assert done["accepted"] == 1
    assert not done["ok"]
    assert [said.partition(":")[0] for said in done["warnings"]] == [
        "item 1",
        "item 3",
        "item 4",
        "item 5",
    ]
    assert "unknown field `note`; it takes `text`, `id`, `kind`" in done["warnings"][3]


def test_memory_search_without_the_graph_is_marked(given: Any) -> None:
    found = given("memory_search", query="payment service", useGraph=False, minScore=0)
    assert found["fallback"] == {"from": "graph", "reason": "useGraph is false"}
    assert found["results"]


def test_memory_get_reads_lines(given: Any) -> None:
    got = given("memory_get", path="docs/payments.md", **{"from": 3, "lines": 1})
    assert (got["path"], got["text"]) == (
        "docs/payments.md",
        "The payment service is owned by Team Blue.",
    )
    assert given("memory_get", path="session:s2#1")["text"] == "I live in Oslo."


def test_memory_recall_falls_back_to_search(given: Any) -> None:
    found = given("memory_recall", query="who owns the payment service?")
    assert found["entries"] == []
    assert found["fallback"]["results"][0]["path"] == "docs/payments.md"
