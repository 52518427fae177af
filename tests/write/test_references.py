"""What a file refers to, as it is kept beside its episode."""

import base64
import zlib

import pytest

from quipu.write.links import unpack


@pytest.mark.parametrize("packed", ["", "no base64 at all!", base64.b64encode(b"no zlib").decode()])
def test_what_nobody_packed_is_none(packed: str) -> None:
    assert unpack(packed) is None


def test_what_unfolds_to_too_much_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quipu.write.links._MOST_BYTES", 1_000)
    assert unpack(base64.b64encode(zlib.compress(bytes(10_000))).decode()) is None
