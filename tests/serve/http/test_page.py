"""The web page in a real browser: every part does its job, quietly, and asks nobody else."""

import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.cannot import cannot

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.http.memories import Memories
from quipu.testing.fakes import HashEmbedder

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
TOLD = (
    "# Who leads\n\nGrace Hopper led the payment service from 2019-01-01 to 2021-06-30.\n\n"
    "Ada Lovelace led the payment service from 2021-07-01 to 2024-12-31.\n\n"
    "The payment service is owned by Ada Lovelace.\n"
)
HOSTILE = (
    "# <script>document.title='pwned'</script> Widget\n\n"
    "The hostile widget is <img src=x onerror=\"document.title='pwned'\"> painted blue\u202e.\n"
)


def _chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        cannot("there is no Chromium: install Debian's package `chromium`")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=_chromium(),
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader",
            ],
        )
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory,
    serve_module: Callable[..., Any],
    open_home: Callable[..., Memory],
) -> Any:
    """A server over an index of this repository's documents and some of its code."""
    home = tmp_path_factory.mktemp("own")
    shutil.copytree(ROOT / "docs", home / "docs", ignore=shutil.ignore_patterns("*.png"))
    shutil.copytree(ROOT / "src" / "quipu" / "records", home / "src" / "quipu" / "records")
    shutil.copy(ROOT / "README.md", home / "README.md")
    (home / "leads.md").write_text(TOLD, "utf-8")
    (home / "hostile.md").write_text(HOSTILE, "utf-8")
    (home / "goldens.yaml").write_text(
        "- question: Who owns the payment service?\n  expect: {paths: [leads.md]}\n", "utf-8"
    )
    (home / ".quipu").mkdir()

    opened = partial(open_home, home)
    with opened() as memory:
        memory.index()
        told = [
            {
                "component": "payments",
                "title": f"Queue is full ({n})",
                "metrics": {"latency_p99": 700},
                "timestamp": f"2026-01-0{n}T10:00:00Z",
            }
            for n in (1, 3, 5)
        ]
        ids = memory.incidents.add(told).added
        memory.incidents.outcome(ids[0], ["rollback"], success=True, resolution_time_minutes=9)
    with Memories(opened, folder=home) as memories, serve_module(memories) as server:
        yield server


@pytest.fixture
def page(browser: Browser, served: Any) -> Iterator[Page]:
    """A page that must stay quiet: no error in its console, no request to elsewhere."""
    context = browser.new_context(base_url=served.url, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    opened.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda request: asked.append(request.url))
    opened.set_default_timeout(30_000)
    yield opened
    context.close()
    noise = re.compile("GPU stall|GL Driver|Automatic fallback to software WebGL")
    assert [line for line in said if not noise.search(line)] == []
    assert [url for url in asked if not url.startswith((served.url, "data:", "blob:"))] == []


def test_a_question_is_answered_beside_its_evidence(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Question").fill("Who owns the payment service?")
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text("Ada Lovelace")
    card = page.locator("#citation-1")
    expect(card.locator("mark", has_text="owned by Ada Lovelace")).to_be_visible()
    page.get_by_role("button", name="Citation 1").first.click()
    expect(card).to_be_focused()
    card.get_by_role("button", name="leads.md").click()
    expect(page.get_by_role("dialog")).to_contain_text("Grace Hopper")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="hide").click()
    expect(page.get_by_role("meter", name="Confidence")).to_be_hidden()
    page.reload()
    expect(page.locator(".answer")).to_contain_text("Ada Lovelace")
    expect(page.get_by_role("meter", name="Confidence")).to_be_hidden()


def test_the_graph_is_walked(page: Page) -> None:
    page.goto("/#graph")
    canvas = page.locator(".canvas")
    expect(canvas).to_have_attribute("data-nodes", re.compile(r"^\d{2,}$"))
    page.get_by_label("Find a thing").fill("README.md")
    page.get_by_role("button", name="Find", exact=True).click()
    panel = page.get_by_role("region", name="Evidence")
    expect(panel.get_by_role("heading")).to_be_visible()
    before = int(canvas.get_attribute("data-nodes") or 0)
    panel.get_by_role("listitem").get_by_role("button").first.click()
    expect(panel.get_by_role("listitem").first).to_be_visible()
    assert int(canvas.get_attribute("data-nodes") or 0) >= before
    page.get_by_role("button", name="Show everything").click()
    expect(canvas).to_have_attribute("data-nodes", re.compile(r"^\d{3,}$"))
    page.get_by_role("group", name="Types").get_by_role("checkbox").first.uncheck()


def test_an_incident_gets_an_outcome(page: Page) -> None:
    page.goto("/#incidents")
    page.get_by_role("link", name="Queue is full (5)").click()
    expect(page.get_by_role("heading", name="What to try")).to_be_visible()
    expect(page.get_by_role("heading", name="Similar incidents")).to_be_visible()
    page.get_by_label("What was done").fill("restart_container")
    page.get_by_label("Minutes").fill("4")
    page.get_by_role("button", name="Record it").click()
    expect(page.locator("main")).to_contain_text("resolved")
    page.goto("/#incidents")
    page.get_by_role("button", name="Replay the policies").click()
    expect(page.get_by_role("table", name="Replay")).to_contain_text("payments")


def test_memory_takes_corrects_and_forgets(page: Page) -> None:
    page.goto("/#memory?subject=Ada%20Lovelace")
    expect(page.get_by_role("heading", name="Held now of Ada Lovelace")).to_be_visible()
    page.locator("select[name=kind]").select_option("preference")
    page.get_by_label(re.compile("^What to remember")).fill("Ada Lovelace likes short answers.")
    page.get_by_role("button", name="Remember").click()
    expect(page.locator("main")).to_contain_text("Remembered.")
    cards = page.locator("li.card", has_text="likes short answers")  # the entry, and what it states
    entry = cards.filter(has_text="preference")
    expect(entry).to_be_visible()
    entry.get_by_role("button", name=re.compile("^Forget")).click()
    page.get_by_role("button", name="Erase it for good").click()
    expect(cards).to_have_count(0)
    page.get_by_label("What it is about").fill("payment service")
    page.get_by_role("button", name="Show", exact=True).last.click()
    expect(page.locator("pre")).to_contain_text("payment service")


def test_status_runs_and_follows_work(page: Page) -> None:
    page.goto("/#status")
    expect(page.get_by_role("table", name="Checks")).to_contain_text("store")
    page.get_by_role("button", name="Index now").click()
    expect(page.locator("main")).to_contain_text("index done")
    page.get_by_role("button", name="Run golden questions").click()
    expect(page.locator("main")).to_contain_text("1 of 1 questions passed")
    expect(page.get_by_role("heading", name="Golden questions over time")).to_be_visible()


def test_what_was_indexed_is_never_run(page: Page) -> None:
    page.goto("/#search?q=hostile%20widget%20painted%20blue")
    expect(page.locator("li.card").first).to_contain_text("onerror=")
    page.goto("/#ask?q=What%20colour%20is%20the%20hostile%20widget%20painted%3F")
    expect(page.locator(".answer")).to_be_visible()
    page.goto("/#graph?ref=hostile.md")
    expect(page.get_by_role("region", name="Evidence").get_by_role("heading")).to_be_visible()
    assert page.title() == "Graph · Quipu"
    assert page.locator("main img").count() == 0


@pytest.mark.parametrize(
    "part",
    [
        "ask?q=Who%20owns%20the%20payment%20service%3F",
        "search?q=score",
        "plan?q=payment%20service",
        "graph",
        "time?subject=payment%20service",
        "incidents",
        "memory?subject=Ada%20Lovelace",
        "status",
    ],
)
def test_every_part_can_be_used_by_everybody(page: Page, part: str) -> None:
    page.emulate_media(color_scheme="dark" if len(part) % 2 else "light")
    page.goto(f"/#{part}")
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("[aria-busy]")).to_have_count(0)
    found = Axe().run(page).response
    serious = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
    assert [(v["id"], v["nodes"][0]["html"]) for v in serious] == []


def test_it_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    for part in ("ask?q=Who%20owns%20the%20payment%20service%3F", "search?q=score", "status"):
        page.goto(f"/#{part}")
        expect(page.locator("[aria-busy]")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_key_is_asked_for_where_one_is_needed(
    browser: Browser, memories: Memories, serve: Callable[..., Any]
) -> None:
    assert memories.keys is not None
    made = memories.keys.create("default", "read")
    with serve(memories) as server, browser.new_context(base_url=server.url) as context:
        opened = context.new_page()
        opened.goto("/#ask?q=Who%20owns%20the%20payment%20service%3F")
        opened.get_by_label("API key").fill(made.key)
        opened.keyboard.press("Enter")
        expect(opened.locator(".answer")).to_contain_text("Ada Lovelace")


def test_a_newcomer_gets_an_answer(
    browser: Browser, tmp_path: Path, serve: Callable[..., Any]
) -> None:
    (tmp_path / "leads.md").write_text(TOLD, "utf-8")

    def opened(namespace: str | None) -> Memory:
        return Memory.open(
            tmp_path / ".quipu" / "quipu.db",
            namespace=namespace,
            config=Config(),
            embedder=HashEmbedder(),
            home=tmp_path,
        )

    made = Memories(opened, folder=tmp_path, make=(tmp_path / ".quipu").mkdir)
    with made as memories, serve(memories) as server:  # noqa: SIM117
        with browser.new_context(base_url=server.url) as context:
            page = context.new_page()
            page.goto("/")
            expect(page.get_by_role("heading", name="There is no memory here yet")).to_be_visible()
            page.get_by_role("button", name="Make a memory").click()
            page.get_by_label("Question").fill("Who owns the payment service?")
            page.keyboard.press("Enter")
            expect(page.locator(".answer")).to_contain_text("Ada Lovelace")
