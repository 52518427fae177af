"""The service graph: what catalogues, deployments and API descriptions state of services."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import indent

import pytest
from tests.rows import rows

from quipu.config import Config
from quipu.memory import Memory
from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]

DATA = Path(__file__).parent / "data"
FORMS = sorted((DATA / "services").iterdir())
TIES = [json.loads(line) for line in (DATA / "service_ties.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.name)
def test_each_form_states_its_ties_with_their_lines(read: Read, file: Path) -> None:
    document = read(file.name, file.read_text("utf-8"))
    assert {(type_, name, *tie) for path, type_, name, *tie in TIES if path == file.name} == {
        (*(r.source or ()), r.type, r.target_type, r.target, r.line) for r in document.relations
    }


def test_an_api_in_json_is_read_alike(read: Read) -> None:
    text = '{"openapi": "3.0.0",\n "info": {"title": "T"},\n "paths": {"/a": {"get": {}}}}'
    assert [(t.type, t.name) for t in read("api.json", text).things] == [
        ("API", "T"),
        ("Endpoint", "GET /a"),
    ]


@pytest.mark.parametrize(
    "text",
    rows(__file__, "half_a_form_is_data_and_states_nothing"),
)
def test_half_a_form_is_data_and_states_nothing(read: Read, text: str) -> None:
    document = read("values.yaml", text)
    assert document.text == text
    assert not document.relations


def test_what_is_no_name_among_texts_is_passed_over(read: Read) -> None:
    document = read("compose.yaml", "services: {a: {depends_on: [[[b]], {c: d}, e]}}\n")
    assert [relation.target for relation in document.relations] == ["e"]
    env = "env: [1, {value: 'http://b:80'}]"
    job = f"kind: Job\nmetadata: {{name: a}}\nspec: {{containers: [c, {{{env}}}]}}\n"
    assert [r.target for r in read("a.yaml", f"apiVersion: v1\n{job}").relations] == ["b"]


@pytest.mark.parametrize("path", ["compose.yaml", ".github/workflows/ci.yml", "api.yaml"])
@pytest.mark.parametrize(
    "text",
    [
        "openapi:\n" + "".join(f"{' ' * depth}a:\n" for depth in range(1, 1_050)),
        "openapi: &a {" + ", ".join(f"k{n}: v" for n in range(1_000)) + "}\n"
        "services:\n" + "".join(f"  s{n}: {{<<: *a}}\n" for n in range(1_000)),
    ],
    ids=["deep", "merged"],
)
def test_what_would_grow_without_end_is_data(read: Read, path: str, text: str) -> None:
    document = read(path, text)
    assert document.text == text
    assert not document.relations


def test_the_items_of_a_list_are_read(read: Read) -> None:
    item = indent((DATA / "services" / "settle.yml").read_text("utf-8"), "  ")
    document = read("all.yaml", f"apiVersion: v1\nkind: List\nitems:\n- {item.lstrip()}")
    assert [thing.name for thing in document.things] == ["settle"]
    assert {relation.target for relation in document.relations} >= {"team-blue", "ledger-db"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("compose.yaml", 'services:\n  "": {image: a}\n  web: {depends_on: ["", " "]}\n'),
        (
            "catalog-info.yaml",
            "apiVersion: backstage.io/v1alpha1\nkind: Component\n"
            'metadata: {name: "we\\u202eb\\n\\0"}\nspec: {owner: "", system: "%s"}\n' % ("x" * 301),
        ),
    ],
)
def test_names_are_there_short_and_on_one_line(read: Read, path: str, text: str) -> None:
    document = read(path, text)
    assert [thing.name for thing in document.things] in (["web"], ["we b"])
    assert not document.relations


def test_many_blocks_of_terraform_are_told_by_their_lines(read: Read) -> None:
    text = "".join(f'resource "aws_s3" "b{i}" {{\n}}\n\n' for i in range(50))
    assert [thing.line for thing in read("main.tf", text).things] == [*range(1, 150, 3)]


def test_a_huge_description_is_bounded(read: Read) -> None:
    paths = "".join(f"  /p{n}: {{get: {{}}}}\n" for n in range(5_000))
    document = read("api.yaml", f"openapi: 3.0.0\ninfo: {{title: T}}\npaths:\n{paths}")
    assert len(document.things) == 2_000


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    home = shutil.copytree(DATA / "services", tmp_path_factory.mktemp("services") / "home")
    with Memory.open(home / "memory.db", home=home, config=Config()) as memory:
        memory.index(home)
        yield memory


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who owns payments?", "`payments` is owned by team-blue"),
        ("What depends on ledger-db?", "`payments`"),
        ("What breaks if ledger-db goes?", "`payments`"),
        ("What does payments depend on?", "`fraud-check`"),
        ("Which API does payments provide?", "`payments-api`"),
        ("What is part of the Billing API?", "`GET /invoices`"),
        ("What depends on aws_db_instance.ledger?", "`aws_ecs_service.payments`"),
    ],
)
def test_questions_about_services_are_answered_from_records(
    services: Memory, question: str, said: str
) -> None:
    reply = services.ask(question)
    assert said in reply.contract.answer
    assert reply.confidence.value >= 0.7
    assert reply.contract.evidence[0].graph_ids
