"""Pages over real sockets: what comes, what is refused, and that nothing goes on for ever."""

import datetime
import gzip
import ssl
import threading
import time
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.rows import rows
from tests.servers.page_server import PageServer

from quipu.errors import InvalidInput, Unavailable
from quipu.kinds.pages.fetch import Fetcher, Page, Validators
from quipu.kinds.pages.network import CrawlLimits, Network

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        running.lay("/page", "<title>Guide</title><p>How it works.")
        yield running


def fetch(
    server: PageServer, url: str, held: Validators | None = None, **limits: Any
) -> Page | None:
    network = limits.pop("network", None) or server.network(private=("inside.example",))
    fetcher = Fetcher(network, CrawlLimits(**limits), user_agent="Quipu/0.1")
    return fetcher.fetch(url if "://" in url else server.url(url), held)


def page(server: PageServer, url: str, **limits: Any) -> Page:
    found = fetch(server, url, **limits)
    assert found is not None
    return found


def refused(server: PageServer, url: str, **limits: Any) -> str:
    with pytest.raises((InvalidInput, Unavailable)) as caught:
        fetch(server, url, **limits)
    return str(caught.value)


def test_a_page_comes_with_what_the_server_says(server: PageServer) -> None:
    modified = "Wed, 21 Oct 2015 07:28:00 GMT"
    server.lay("/a", "<p>Hello", etag='"1"', last_modified=modified)
    got = page(server, "/a")
    assert got.data == b"<p>Hello"
    assert (got.suffix, got.etag, got.last_modified) == (".html", '"1"', modified)
    assert got.changed_at == "2015-10-21T07:28:00.000Z"
    robots, asked = server.asked
    assert (robots.path, asked.path) == ("/robots.txt", "/a")
    assert asked.headers["user-agent"] == "Quipu/0.1"
    assert asked.headers["host"] == f"pages.example:{server.port}"


def test_a_page_that_did_not_change_is_none(server: PageServer) -> None:
    server.lay("/a", "<p>Hello", etag='"1"')
    held = Validators(server.url("/a"), etag='"1"')
    assert fetch(server, "/a", held) is None
    assert fetch(server, "/a", Validators(server.url("/b"), etag='"1"')) is not None


@pytest.mark.parametrize(
    "robots", ["User-agent: Quipu\nDisallow: /page", "User-agent: *\nDisallow: /"]
)
def test_robots_forbid(server: PageServer, robots: str) -> None:
    server.lay("/robots.txt", robots, type="text/plain")
    said = refused(server, "/page")
    assert "forbids '/page' to Quipu" in said
    assert "save it and index the file" in said
    assert [a.path for a in server.asked] == ["/robots.txt"]


@pytest.mark.parametrize(
    ("status", "allowed"), [(404, True), (401, True), (500, False), (503, False), (429, False)]
)
def test_robots_that_are_not_there_allow_and_that_fail_forbid(
    server: PageServer, status: int, allowed: bool
) -> None:
    server.lay("/robots.txt", status=status)
    if allowed:
        assert page(server, "/page").suffix == ".html"
    else:
        assert f"answers {status}" in refused(server, "/page")


def test_robots_are_asked_at_every_hop(server: PageServer) -> None:
    server.lay("/robots.txt", "User-agent: *\nDisallow: /page", type="text/plain")
    server.redirect("/go", "/page")
    assert "forbids '/page'" in refused(server, "/go")


def test_redirects_are_followed(server: PageServer) -> None:
    server.redirect("/go", "/on", 301)
    server.redirect("/on", server.url("/page", host="other.example"), 308)
    got = page(server, "/go")
    assert got.url == server.url("/go")
    assert got.final_url == server.url("/page", host="other.example")


@pytest.mark.parametrize(("to", "said"), rows(__file__, "every_hop_is_checked"))
def test_every_hop_is_checked(server: PageServer, to: str, said: str) -> None:
    server.redirect("/go", to.format(port=server.port))
    network = server.network(private=("inside.example",))

    def resolve(host: str, port: int) -> list[str]:
        try:
            address = ip_address(host)
        except ValueError:
            return list(network.resolve(host, port))
        return [str(getattr(address, "ipv4_mapped", None) or address)]

    told = Network(ports=network.ports, may_reach=network.may_reach, resolve=resolve)
    assert said in refused(server, "/go", network=told)
    assert {a.path for a in server.asked} == {"/robots.txt", "/go"}


def test_this_machine_is_not_reached_unless_that_is_allowed(server: PageServer) -> None:
    network = Network(ports=(server.port,))
    for host in ("127.0.0.1", "localhost"):
        assert "no address of the public internet" in refused(
            server, server.url("/page", host=host), network=network
        )
    assert server.asked == []


def test_a_name_is_looked_up_once_for_a_connection(server: PageServer) -> None:
    asked: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) <= 2 else ["10.0.0.1"]

    allowed = server.network()
    network = Network(ports=allowed.ports, may_reach=allowed.may_reach, resolve=rebinding)
    assert page(server, "/page", network=network).suffix == ".html"
    assert asked == ["pages.example", "pages.example"]  # robots.txt, and the page


def test_a_page_that_is_too_large_is_refused(server: PageServer) -> None:
    server.lay("/big", "x" * 2_000)
    assert "more than 1,000 bytes" in refused(server, "/big", max_bytes=1_000)
    server.lay("/big", "x" * 2_000, content_length="")
    assert "more than 1,000 bytes" in refused(server, "/big", max_bytes=1_000)


def test_a_bomb_is_not_unpacked(server: PageServer) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    server.lay("/bomb", bomb, content_encoding="gzip")
    assert "more than 1,000,000 bytes" in refused(server, "/bomb", max_bytes=1_000_000)


def test_a_packed_page_is_unpacked(server: PageServer) -> None:
    server.lay("/zip", gzip.compress(b"<p>Hello"), content_encoding="gzip")
    assert page(server, "/zip").data == b"<p>Hello"
    server.lay("/odd", b"x", content_encoding="br")
    assert "packed as 'br'" in refused(server, "/odd")
    server.lay("/lie", b"no gzip", content_encoding="gzip")
    assert "not packed as it says" in refused(server, "/lie")


def test_a_server_that_drips_is_cut_off(server: PageServer) -> None:
    server.lay("/drip", "x" * 1_000, drip_s=0.05)
    began = time.monotonic()
    assert "took longer than 0.5 s" in refused(server, "/drip", timeout_s=0.5)
    assert time.monotonic() - began < 10


def test_a_name_server_that_is_silent_is_not_waited_for(server: PageServer) -> None:
    let_go, answered = threading.Event(), threading.Event()

    def silent(host: str, port: int) -> list[str]:
        let_go.wait(60)
        answered.set()
        return ["127.0.0.1"]

    network = Network(ports=(server.port,), resolve=silent)
    try:
        assert "is not found" in refused(server, "/page", network=network, timeout_s=0.2)
        assert not answered.is_set()
    finally:
        let_go.set()
    assert answered.wait(60)


@pytest.mark.parametrize(
    ("status", "said"),
    [(404, "no such page"), (403, "to everybody"), (500, "try later"), (204, "204")],
)
def test_a_status_is_told(server: PageServer, status: int, said: str) -> None:
    server.lay("/a", status=status)
    assert said in refused(server, "/a")


@pytest.mark.parametrize(("kind", "path", "suffix"), rows(__file__, "a_type_has_its_reader"))
def test_a_type_has_its_reader(
    server: PageServer, kind: str, path: str, suffix: str | None
) -> None:
    server.lay(path, "x", type=kind)
    if suffix is None:
        assert "is of type" in refused(server, path)
    else:
        assert page(server, path).suffix == suffix


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        ("Müll".encode("latin-1"), "text/html; charset=iso-8859-1", "Müll"),
        ("€".encode("cp1252"), "text/plain; charset=latin1", "€"),
        ("語".encode("shift_jis"), 'text/plain; charset="Shift_JIS"', "語"),
        (b'<meta charset="windows-1251">' + "Да".encode("cp1251"), "text/html", "Да"),
        ("Müll".encode(), "text/html; charset=nonsense", "Müll"),
        ("Müll".encode(), "text/plain; charset=rot13", "Müll"),
        ("\ufeffMüll".encode(), "text/html; charset=latin-1", "Müll"),
        ("Müll".encode(), "text/html; charset=undefined", "Müll"),
        (b"Mull \\ud800", "text/html; charset=unicode_escape", "Mull \\ud800"),
        (b'<meta charset="utf-16">' + "Müll".encode(), "text/html", "Müll"),
    ],
)
def test_a_charset_is_read(server: PageServer, data: bytes, kind: str, text: str) -> None:
    server.lay("/a", data, type=kind)
    assert text in page(server, "/a").data.decode()


def test_nothing_of_the_environment_leads_elsewhere(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert page(server, "/page").suffix == ".html"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for pages.example that vouches for itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pages.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("pages.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_a_certificate_is_verified_against_the_name(certificate: Path) -> None:
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate))
    with PageServer(own) as server:
        server.lay("/page", "<p>Hello")
        assert page(server, "/page", network=server.network(tls=trusting)).data == b"<p>Hello"
        for network, host in (
            (server.network(), "pages.example"),  # nobody vouches for it
            (server.network(tls=trusting), "other.example"),  # it is another's
        ):
            said = refused(server, server.url("/page", host=host), network=network)
            assert "certificate" in said
