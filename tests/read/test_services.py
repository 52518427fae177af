"""The service graph: what catalogues, deployments and API descriptions state of services."""

from collections.abc import Callable, Iterator

import pytest
from tests.rows import rows

from quipu.config import Config
from quipu.memory import Memory
from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]

CATALOG = """\
apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: payments
  description: Takes card payments
spec:
  type: service
  owner: group:default/team-blue
  system: shop
  dependsOn:
    - resource:ledger-db
    - component:default/fraud-check
  providesApis: [payments-api]
---
apiVersion: backstage.io/v1alpha1
kind: Resource
metadata: {name: ledger-db}
spec: {type: database, owner: team-green, dependencyOf: ["component:reports"]}
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: reports}
"""
WORKLOAD = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: settle
  labels: {app.kubernetes.io/part-of: shop, team: team-blue}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          containers:
            - name: settle
              image: shop/settle:2.1
              env:
                - {name: LEDGER_URL, value: "postgres://user@ledger-db:5432/ledger"}
                - {name: LOG_LEVEL, value: info}
"""
API = """\
openapi: 3.0.0
info: {title: Billing API, version: "2"}
paths:
  /invoices:
    parameters: []
    get: {operationId: listInvoices, summary: Return all invoices of a customer}
  /invoices/{id}:
    delete: {summary: Remove an invoice}
"""
TERRAFORM = """\
resource "aws_db_instance" "ledger" {
  identifier = "ledger-db"
}

resource "aws_ecs_service" "payments" {
  name       = "payments"
  depends_on = [aws_db_instance.ledger]
  subnets    = module.network.private
}

module "network" {
  source = "./network"
}
"""
FORMS = {
    "catalog.yaml": (
        CATALOG,
        {
            (("Service", "payments"), "OWNED_BY", "Owner", "team-blue", 8),
            (("Service", "payments"), "PART_OF", "Application", "shop", 9),
            (("Service", "payments"), "DEPENDS_ON", "Infra", "ledger-db", 11),
            (("Service", "payments"), "DEPENDS_ON", "Service", "fraud-check", 12),
            (("Service", "payments"), "PROVIDES", "API", "payments-api", 13),
            (("Infra", "ledger-db"), "OWNED_BY", "Owner", "team-green", 18),
            (("Service", "reports"), "DEPENDS_ON", "Infra", "ledger-db", 18),
        },
    ),
    "settle.yml": (
        WORKLOAD,
        {
            (("Service", "settle"), "PART_OF", "Application", "shop", 5),
            (("Service", "settle"), "OWNED_BY", "Owner", "team-blue", 5),
            (("Service", "settle"), "DEPENDS_ON", "", "ledger-db", 16),
        },
    ),
    "api.yaml": (
        API,
        {
            (("Endpoint", "GET /invoices"), "PART_OF", "API", "Billing API", 6),
            (("Endpoint", "DELETE /invoices/{id}"), "PART_OF", "API", "Billing API", 8),
        },
    ),
    "main.tf": (
        TERRAFORM,
        {
            (("Infra", "aws_ecs_service.payments"), "DEPENDS_ON", "Infra", target, line)
            for target, line in (("aws_db_instance.ledger", 7), ("module.network", 8))
        },
    ),
}


@pytest.mark.parametrize("path", FORMS)
def test_each_form_states_its_ties_with_their_lines(read: Read, path: str) -> None:
    text, stated = FORMS[path]
    document = read(path, text)
    assert stated == {
        (r.source, r.type, r.target_type, r.target, r.line) for r in document.relations
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
    items = "".join(
        f"- {line}" if not i else f"  {line}" for i, line in enumerate(WORKLOAD.splitlines(True))
    )
    document = read("all.yaml", f"apiVersion: v1\nkind: List\nitems:\n{items}")
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
    home = tmp_path_factory.mktemp("services")
    for path, (text, _) in FORMS.items():
        (home / path).write_text(text, "utf-8")
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
