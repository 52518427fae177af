"""A kind of source that another package brings works as those that come with Quipu."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.rows import rows

PACKAGE = Path(__file__).parent / "quipu_bookmarks"
EXPORT = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1709251200">Cooking</H3>
    <DL><p>
        <DT><A HREF="https://knives.example/sharpen" ADD_DATE="1709251200">Sharpening knives</A>
        <DT><H3>Bread</H3>
        <DL><p>
            <DT><A HREF="https://bread.example/starter" ADD_DATE="1709251200" TAGS="rye,slow">\
A sourdough starter &amp; its care</A>
            <DD>Feed it twice a day in summer.
            <DT><A HREF="https://bread.example/oven" ADD_DATE="1712000000">Steam in the oven</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="https://maps.example/" ADD_DATE="never">Old maps</A>
    <DT><A HREF="javascript:alert(1)">A small program</A>
</DL><p>
"""
CHROMIUM = dict(rows(__file__, "bookmarks_chromium"))
Quipu = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, install: Any, run_with: Any) -> Path:
    """A folder with exports that were indexed while the package was installed."""
    root = tmp_path_factory.mktemp("bookmarks")
    install(PACKAGE, root / "site")
    (root / "notes").mkdir()
    (root / "notes" / "export.html").write_text(EXPORT, "utf-8")
    (root / "notes" / "Bookmarks").write_text(json.dumps(CHROMIUM), "utf-8")
    (root / "notes" / "bookmarks.json").write_text('{"roots": 1}', "utf-8")
    for words in (["init"], ["index", "."]):
        done = run_with(root / "site", root / "notes", "-m", "quipu.serve.cli", *words)
        assert done.returncode == 0, done.stderr
    return root


@pytest.fixture
def quipu(place: Path, run_with: Any) -> Quipu:
    def call(*words: str) -> "subprocess.CompletedProcess[str]":
        return run_with(place / "site", place / "notes", "-m", "quipu.serve.cli", *words)

    return call


def _json(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_command_lists_what_was_read(quipu: Quipu) -> None:
    found = _json(quipu("bookmarks", "--json"))["bookmarks"]
    assert [each["title"] for each in found] == [
        "A sourdough starter & its care",
        "Old maps",
        "Sharpening knives",
        "Steam in the oven",
        "Tide tables",
    ]
    starter, maps, *_, tides = found
    assert starter == {
        "url": "https://bread.example/starter",
        "title": "A sourdough starter & its care",
        "folders": ["Cooking", "Bread"],
        "tags": ["rye", "slow"],
        "added": "2024-03-01",
        "note": "Feed it twice a day in summer.",
    }
    assert (maps["added"], maps["folders"]) == ("", [])
    assert (tides["added"], tides["folders"]) == ("2024-02-29", ["Bar"])


def test_search_finds_a_bookmark_with_its_lines(quipu: Quipu) -> None:
    hits = _json(quipu("search", "--json", "how often to feed a sourdough starter"))["hits"]
    assert hits[0]["title"].endswith("Cooking › Bread › A sourdough starter & its care")
    assert hits[0]["path"] == "export.html"
    assert "Bookmarked on 2024-03-01 in the folder Cooking › Bread." in hits[0]["text"]


def test_ask_cites_a_bookmark(quipu: Quipu) -> None:
    reply = _json(quipu("ask", "--json", "sourdough starter in summer"))
    assert "Feed it twice a day in summer" in reply["contract"]["answer"]
    assert reply["citations"][0]["path"] == "export.html"


@pytest.mark.parametrize(
    ("folder", "answer", "citations"),
    [
        (
            "the folder Bread",
            "A sourdough starter & its care and Steam in the oven are in Bread",
            2,
        ),
        ("Bar", "Tide tables is in Bar", 1),
        ("the Gardening folder", "unknown", 0),
    ],
)
def test_its_own_answer_names_all_in_a_folder(
    quipu: Quipu, folder: str, answer: str, citations: int
) -> None:
    reply = _json(quipu("ask", "--json", f"Which bookmarks are in {folder}?"))
    assert reply["contract"]["answer"].startswith(answer)
    assert len(reply["citations"]) == citations


def test_a_broken_file_is_read_as_text_with_a_warning(
    place: Path, install: Any, run_with: Any, tmp_path: Path
) -> None:
    (tmp_path / "bookmarks.json").write_text('{"roots": [1]}', "utf-8")
    run_with(place / "site", tmp_path, "-m", "quipu.serve.cli", "init")
    done = run_with(place / "site", tmp_path, "-m", "quipu.serve.cli", "index", "--json", ".")
    report = _json(done)
    assert report["errors"] == []
    assert [row["error"] for row in report["warnings"]] == [
        "is no file of bookmarks; it was read as plain text"
    ]


def test_a_secret_that_only_the_reader_sees_is_taken_out(
    place: Path, run_with: Any, tmp_path: Path
) -> None:
    token = "ghp_" + "x9Kd7Lq2" * 4 + "Zt4v"
    hidden = "".join(f"&#{ord(c)};" for c in token)
    page = EXPORT.replace("Feed it", f"{hidden} is fed").replace("Old maps", f"Maps {hidden}")
    (tmp_path / "export.html").write_text(page, "utf-8")
    for words in (["init"], ["index", "--json", "."]):
        done = run_with(place / "site", tmp_path, "-m", "quipu.serve.cli", *words)
    assert _json(done)["redacted"].keys() == {"github-token"}
    done = run_with(place / "site", tmp_path, "-m", "quipu.serve.cli", "export", "all.jsonl")
    assert done.returncode == 0, done.stderr
    held = (tmp_path / "all.jsonl").read_text("utf-8")
    assert "Maps [redacted" in held
    assert token not in held


def test_the_graph_is_sound(quipu: Quipu) -> None:
    checked = quipu("validate", "--json")
    assert checked.returncode == 0, checked.stdout


def test_agents_have_its_tool(place: Path, run_with: Any) -> None:
    script = (
        "import anyio, json\n"
        "from mcp import Client\n"
        "from quipu.memory import Memory\n"
        "from quipu.serve.mcp import build_server\n"
        "async def main():\n"
        "    with Memory.open() as memory:\n"
        "        async with Client(build_server(memory, read_only=True)) as client:\n"
        "            done = await client.call_tool('bookmarks_list', {'folder': 'Bread'})\n"
        "            print(json.dumps(done.structured_content))\n"
        "anyio.run(main)\n"
    )
    found = _json(run_with(place / "site", place / "notes", "-c", script))
    assert [each["title"] for each in found["bookmarks"]] == [
        "A sourdough starter & its care",
        "Steam in the oven",
    ]


def test_without_the_package_the_export_is_a_page_like_any(place: Path, run_with: Any) -> None:
    done = run_with(place / "nowhere", place / "notes", "-m", "quipu.serve.cli", "bookmarks")
    assert done.returncode == 2
    assert "no command 'bookmarks'" in done.stderr
