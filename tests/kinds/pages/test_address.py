"""Which URLs and addresses may be fetched."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.errors import InvalidInput
from quipu.kinds.pages.address import parse_url, redirected
from quipu.kinds.pages.network import Network, addresses_of, is_public


@pytest.mark.parametrize(("written", "url"), rows(__file__, "a_url_is_read_in_one_way_or_refused"))
def test_a_url_is_read_in_one_way_or_refused(written: str, url: str | None) -> None:
    if url is None:
        with pytest.raises(InvalidInput):
            parse_url(written)
        return
    assert parse_url(written).url == url


@given(st.text(max_size=60))
def test_any_text_is_a_url_or_an_error(text: str) -> None:
    for written in (text, f"http://{text}", f"https://example.org/{text}"):
        try:
            place = parse_url(written)
        except InvalidInput:
            continue
        assert place.url.isascii()
        assert parse_url(place.url) == place


@pytest.mark.parametrize(("location", "url"), rows(__file__, "a_redirect_is_read_as_strictly"))
def test_a_redirect_is_read_as_strictly(location: str, url: str | None) -> None:
    base = parse_url("https://example.org/a/")
    if url is None:
        with pytest.raises(InvalidInput):
            redirected(base, location)
        return
    assert redirected(base, location).url == url


PRIVATE = """0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.254 127.0.0.1 127.255.255.255 169.254.169.254
172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1
203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 fe80::1 fec0::1 fc00::1
fd12::1 ff02::1 ::ffff:10.0.0.1 ::ffff:127.0.0.1 ::10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::7f00:1
64:ff9b:1::1 100::1 2001::1 2001:10::1 2001:db8::1 2002:0a00:0001::1 2002:0808:0808::1 3fff::1
5f00::1 4000::1 168.63.129.16""".split()
PUBLIC = """1.1.1.1 8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1
192.167.255.255 198.17.0.1 223.255.255.255 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1
::ffff:8.8.8.8 64:ff9b::8.8.8.8""".split()


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_not_reached(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_public_is_reached(address: str) -> None:
    assert is_public(ip_address(address))


@given(st.integers(0, 2**32 - 1))
def test_nothing_is_public_that_the_registries_close(number: int) -> None:
    address = IPv4Address(number)
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast
    assert is_public(IPv6Address(0xFFFF << 32 | number)) is is_public(address)


def test_every_address_of_a_name_must_be_public() -> None:
    network = Network(resolve=lambda host, port: ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(InvalidInput, match=r"'example\.org' is at 10\.0\.0\.1"):
        addresses_of(network, parse_url("https://example.org/"), timeout_s=1)


def test_a_port_out_of_the_list_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"port 22 of 'example\.org' is not allowed"):
        addresses_of(Network(), parse_url("http://example.org:22/"), timeout_s=1)
