"""Bytes to text: which encoding a file is in, and whether it is text at all."""

import codecs
import re
import unicodedata
from collections import Counter

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
_LATIN = {"cp1252": "Windows-1252", "cp1250": "Windows-1250", "cp1254": "Windows-1254"}
_OTHERS = {
    "gb18030": "GBK",
    "big5": "Big5",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    "cp1253": "Windows-1253",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
}
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_LETTERS = re.compile(r"[^\W\d_a-zA-Z]")
_SIGN_IN_WORD = re.compile(
    "[^\\W\\d_][\u00a1-\u00a9\u00ab\u00ac\u00ae-\u00b6\u00b8\u00b9\u00bb-\u00bf][^\\W\\d_]"
)
_LONGEST_LATIN_RUN = 2  # bytes beyond ASCII stand by themselves between letters of ASCII
_UTF8_CHARACTERS_A_FAULT = 10
_LEAST_SHARE_OF_A_SCRIPT = 0.8
_FEWEST_OF_A_SCRIPT = 6


def is_binary(data: bytes) -> bool:
    """Whether the beginning of `data` holds a NUL byte, and it is not UTF-16 or UTF-32."""
    return holds_nul(data) and _marked(data) is None and _utf16_without_mark(data) is None


def holds_nul(data: bytes) -> bool:
    """Whether the beginning of `data` holds a NUL byte."""
    return b"\0" in data[:_PROBE]


def decode(data: bytes) -> tuple[str, str | None]:
    """`data` as text with newlines for line ends, and a warning when bytes had to be guessed.

    A byte order mark decides; else the NUL bytes of UTF-16; else UTF-8; else what the text looks
    like, Windows-1252 at last. Raises InvalidInput for binary data.
    """
    marked = _marked(data)
    if marked is not None:
        bom, encoding = marked
        text = data[len(bom) :].decode(encoding, "replace")
        return normalised(text), _lost(text, encoding)
    if holds_nul(data):
        encoding = _utf16_without_mark(data)
        if encoding is None:
            raise InvalidInput("is binary (it holds NUL bytes); list it in .quipuignore")
        return normalised(data.decode(encoding)), (
            f"has no byte order mark: read as {encoding.upper()}; save it as UTF-8"
        )
    try:
        return normalised(data.decode("utf-8")), None
    except UnicodeDecodeError as error:
        text, encoding = _guessed(data)
        return normalised(text), (
            f"is not UTF-8 (byte {error.start}): read as {encoding}; save it as UTF-8"
        )


def _marked(data: bytes) -> tuple[bytes, str] | None:
    return next((each for each in _BOMS if data.startswith(each[0])), None)


def _utf16_without_mark(data: bytes) -> str | None:
    """The UTF-16 in which all of `data` is text of one script; None for anything else.

    In the other order of bytes a space or the end of a line is no character.
    """
    if len(data) % 2:
        return None
    found = {e: data.decode(e, "replace") for e in ("utf-16-le", "utf-16-be")}
    ascii_count = {e: sum(map(str.isascii, text[:_PROBE])) for e, text in found.items()}
    encoding = max(found, key=lambda e: ascii_count[e])
    text = found[encoding]
    if not all(c.isprintable() or c in "\t\n\r\f" for c in text) or "\ufffd" in text:
        return None
    letters = _LETTERS.findall(text[:_PROBE])
    scripts = Counter(_script(each) for each in letters).most_common(1)
    of_one = bool(scripts) and scripts[0][1] >= max(
        len(letters) * _LEAST_SHARE_OF_A_SCRIPT, _FEWEST_OF_A_SCRIPT
    )
    is_ascii = ascii_count[encoding] > len(text[:_PROBE]) / 2
    return encoding if is_ascii or of_one else None


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in {"HIRAGANA", "KATAKANA"} else name


def _guessed(data: bytes) -> tuple[str, str]:
    """Text that is not valid UTF-8, and what it was taken for.

    The library is asked for encodings of one kind at a time, by how long the runs of bytes beyond
    ASCII are: else it takes French for an encoding of old Macs and German for Big5. Windows-1252 is
    taken where it is as likely as any other, unless that leaves a sign within a word.
    """
    text = data.decode("utf-8", "replace")
    faults = text.count("\ufffd")
    if len(_LETTERS.findall(text)) >= faults * _UTF8_CHARACTERS_A_FAULT:
        return text, "UTF-8 with bytes replaced"
    from charset_normalizer import from_bytes

    runs = _BEYOND_ASCII.findall(data)
    is_latin = sum(map(len, runs)) < len(runs) * _LONGEST_LATIN_RUN
    names = _LATIN if is_latin else _OTHERS
    found = from_bytes(data, cp_isolation=list(names), enable_fallback=False)
    best, western = found.best(), data.decode("cp1252", "replace")
    if best is None:
        return western, _LATIN["cp1252"]
    as_good = (e for e in found if (e.chaos, e.coherence) == (best.chaos, best.coherence))
    if any(str(e) == western for e in as_good) and not _SIGN_IN_WORD.search(western):
        return western, _LATIN["cp1252"]
    return str(best), names[best.encoding]


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
