"""Pages of the web in a memory: fetched when told, replaced when they change, lost to no kill."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.servers.page_server import PageServer

from quipu.memory import Memory
from quipu.memory.payloads import given_pages
from quipu.records.record import Chunk, Entity, Episode
from quipu.write.jobs import Job

pytestmark = pytest.mark.enable_socket

GUIDE = "<title>The guide</title><h1>Salmon ladders</h1><p>Salmon climb the ladder in autumn.</p>"


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        running.lay("/guide", GUIDE, etag='"1"', last_modified="Wed, 21 Oct 2015 07:28:00 GMT")
        yield running


def ingest(memory: Memory, server: PageServer, *paths: str) -> Job:
    urls = [path if "://" in path else server.url(path) for path in paths]
    return memory.ingest_urls(urls, network=server.network())


def texts(memory: Memory) -> str:
    return " ".join(c.text for c in memory.store.scan("chunk") if isinstance(c, Chunk))


def test_a_page_is_found_and_cited(memory: Memory, server: PageServer) -> None:
    job = ingest(memory, server, "/guide")
    assert (job.kind, job.status, job.added, job.errors) == ("pages", "done", 1, ())
    hit = memory.search("When do salmon climb?").hits[0]
    assert hit.path == server.url("/guide")
    (source,) = memory.store.sources(frozenset({"crawl"}))
    episode = memory.store.get([source.episode_id])[source.episode_id]
    assert isinstance(episode, Episode)
    assert (episode.source_type, episode.observed_at) == ("crawl", "2015-10-21T07:28:00.000Z")
    document = memory.get(server.url("/guide"))
    assert isinstance(document, Entity)
    assert document.name == "The guide"
    said = document.properties
    assert (said["etag"], said["fetched_at"]) == ('"1"', "2026-03-01T10:00:00.000Z")
    assert memory.validate().errors == ()


def test_a_changed_page_takes_the_place_of_the_earlier(memory: Memory, server: PageServer) -> None:
    ingest(memory, server, "/guide")
    server.lay("/guide", GUIDE.replace("autumn", "spring"), etag='"2"')
    assert ingest(memory, server, "/guide").added == 1
    assert "spring" in texts(memory)
    assert "autumn" not in texts(memory)
    assert len(memory.store.sources(frozenset({"crawl"}))) == 1
    ended = [c for c in memory.store.changes(0) if c.operation == "end" and c.kind == "episode"]
    assert len(ended) == 1


def test_one_bad_url_keeps_no_other_out(memory: Memory, server: PageServer) -> None:
    job = ingest(memory, server, "/none", "file:///etc/passwd", "/guide")
    assert job.added == 1
    assert {row.path for row in job.errors} == {server.url("/none"), "file:///etc/passwd"}
    assert all(row.error for row in job.errors)


def test_nothing_that_a_page_links_to_is_fetched(memory: Memory, server: PageServer) -> None:
    server.lay("/a", f'<a href="{server.url("/guide")}">more</a><img src="/b.png"> and text')
    ingest(memory, server, "/a")
    assert [asked.path for asked in server.asked] == ["/robots.txt", "/a"]


def test_secrets_are_kept_nowhere(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    secret, inside = "s3cr3tT0kenValue99", "ghp_" + "a1B2" * 10
    home = tmp_path / "home"
    (home / ".quipu").mkdir(parents=True)
    with PageServer() as server, open_memory(str(home / ".quipu/quipu.db"), home) as memory:
        path = f"/guide?token={secret}"
        server.lay(path, f"{GUIDE}<p>key {inside}</p>")
        server.redirect("/go", path)
        job = ingest(memory, server, path, "/go", f"/none?token={secret}")
        assert (job.added, len(job.errors)) == (2, 1)
        assert server.asked[1].path == path
        assert ingest(memory, server, path).unchanged == 1
        assert secret not in str(memory.jobs())
    held = b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert secret.encode() not in held
    assert inside.encode() not in held


def test_pages_of_a_job_that_was_left_undone_are_fetched(memory: Memory) -> None:
    jobs = memory.jobs.accept([given_pages(["http://127.0.0.1/a"])])
    ((job, error),) = memory.jobs.work_on(jobs, embed=False)
    assert error is None
    assert "no address of the public internet" in job.errors[0].error
