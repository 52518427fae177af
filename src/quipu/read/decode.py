"""Bytes to text: which encoding a file is in, and whether it is text at all."""

import codecs

from quipu.errors import InvalidInput
from quipu.text import composed

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PROBE = 8192


def is_binary(data: bytes) -> bool:
    """Whether the beginning of `data` holds a NUL byte and no byte order mark."""
    return b"\0" in data[:_PROBE] and not any(data.startswith(bom) for bom, _ in _BOMS)


def decode(data: bytes) -> tuple[str, str | None]:
    """`data` as text with newlines for line ends, and a warning when bytes had to be guessed.

    A byte order mark decides; else UTF-8; else Windows-1252, where every byte means something
    likely. Raises InvalidInput for binary data.
    """
    if is_binary(data):
        raise InvalidInput("is binary (it holds NUL bytes); list it in .quipuignore")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = data[len(bom) :].decode(encoding, "replace")
            return normalised(text), _lost(text, encoding)
    try:
        return normalised(data.decode("utf-8")), None
    except UnicodeDecodeError as error:
        text = data.decode("cp1252", "replace")
        return normalised(text), (
            f"is not UTF-8 (byte {error.start}): read as Windows-1252; save it as UTF-8"
        )


def normalised(text: str) -> str:
    """`text` with newlines as the only line ends, each accented letter as one character, and
    without NULs or lone surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return composed(text)


def _lost(text: str, encoding: str) -> str | None:
    if "\ufffd" in text:
        return f"has bytes that are not {encoding}; they were replaced"
    return None
