"""Hostile files for every reader: deep, huge, broken, misnamed, and made to grow work by a square.

Each file is indexed alone, beside an honest one, within a time and a memory. The run must end, the
honest file must be found, and the hostile one is in, or is a row of the report with a reason.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from bench.torture.trial import NO_MODEL, Hands, Trial, demand, honest
from bench.torture.warm import Done, Limits, Warm

__all__ = ["FORMS", "HEAVY", "Files", "make_heavy", "pdf", "read_hostile", "zipped"]

Form = Callable[[int], bytes]
CPU_S, MEMORY_MB, SPACE_BYTES = 40, 1_200.0, 4 << 30


def _text(piece: str) -> Form:
    return lambda size: (piece * (size // len(piece) + 1))[:size].encode()


def _nested(start: str, end: str, middle: str = "") -> Form:
    def made(size: int) -> bytes:
        depth = size // (len(start) + len(end))
        return (start * depth + middle + end * depth).encode()

    return made


def zipped(*members: tuple[str, bytes]) -> bytes:
    """A zip archive of these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    b'content-types"><Default Extension="xml" ContentType="application/xml"/><Default '
    b'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    b'<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
    b'officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELS = (
    b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    b'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/'
    b'2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)


def _word(body: bytes, doctype: bytes = b"") -> bytes:
    document = b'<?xml version="1.0"?>%s<w:document xmlns:w="%s"><w:body>%s</w:body></w:document>'
    filled = document % (doctype, _WORD.encode(), body)
    return zipped(
        ("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELS), ("word/document.xml", filled)
    )


_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 3 0 R /Resources << /Font << "
    b"/F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
)


def pdf(stream: bytes, *, pages: int = 1, filters: bytes = b"/FlateDecode") -> bytes:
    """A PDF whose pages all show `stream`, which is packed as `filters` say."""
    kids = b" ".join(b"%d 0 R" % (4 + n) for n in range(pages))
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Length %d /Filter %s >>\nstream\n%s\nendstream" % (len(stream), filters, stream),
        *[_PAGE] * pages,
    ]
    out = bytearray(b"%PDF-1.4\n")
    places: list[int] = []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    begins = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(parts) + 1, table)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, begins)
    return bytes(out)


def _laughs(size: int) -> bytes:
    names = [f"l{n}" for n in range(9)]
    rows = [f'<!ENTITY {a} "{f"&{b};" * 10}">' for a, b in zip(names[1:], names, strict=False)]
    return f'<!DOCTYPE x [<!ENTITY l0 "lol">{"".join(rows)}]>'.encode()


def _yaml_laughs(size: int) -> bytes:
    rows = ["a0: &a0 [lol, lol]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    return "\n".join(rows).encode()


def _notebook(size: int) -> bytes:
    cell = {
        "cell_type": "code",
        "source": "x = 1\n" * 20,
        "outputs": [{"data": {"text/plain": "y" * 500}}],
    }
    return json.dumps({"cells": [cell] * (size // 900), "nbformat": 4, "metadata": {}}).encode()


_REPEATED = {
    "brackets": "[",
    "stars": "*a_ ",
    "underscores": "_a_",
    "points": "a-",
    "backticks": "`",
    "angles": "<a",
    "quotes": "> ",
    "pipes": "|-",
    "hashes": "# a\n",
    "equals": "a\n=\n",
    "dots": ".. a::\n",
    "colons": ":a:`b` ",
    "one line": "word ",
    "a word": "a",
    "slashes": "a/",
    "addresses": "http://a.b/",
    "at": "@a ",
    "dashes": "---\n",
    "blanks": " ",
    "tabs": "\t- a\n",
    "breaks": "\n",
    "returns": "\r",
    "nuls": "\0",
    "escapes": "\x1b[31m",
    "mixed line ends": "a\rb\nc\r\n\x0b\x0c\u2028",
    "accents": "a\u0301\u0302",
    "right to left": "\u202eabc\u202c",
    "utf-7": "+AGE-",
    "numbers": "9" * 400 + "e999999,",
    "dates": "on 31 February 99999 since May 2025 ",
    "owners": "Ann owns the X. ",
    "keys": "password=abcdefgh12345 ",
    "merge marks": "<<<<<<< a\n=======\n>>>>>>> b\n",
    "format": "%s{0}%n",
}
_TRICKS: dict[str, Form] = {
    **{trick: _text(piece) for trick, piece in _REPEATED.items()},
    "nested lists": lambda n: b"".join(b" " * i + b"- a\n" for i in range(int((2 * n) ** 0.5))),
    "invalid utf-8": lambda n: b"\xff\xfea\x80" * (n // 4),
    "surrogates": lambda n: b"\xed\xa0\x80" * (n // 3),
    "utf-16": lambda n: ("a\n" * (n // 4)).encode("utf-16"),
    "utf-32": lambda n: ("ab" * (n // 8)).encode("utf-32"),
    "half a mark": lambda n: b"\xef\xbb" + b"a" * n,
    "random": lambda n: random.Random(n).randbytes(n),
    "empty": lambda _: b"",
    "braces": _nested("{", "}"),
    "parentheses": _nested("(", ")"),
    "lists": _nested("[", "]"),
    "tags": _nested("<div>", "</div>"),
    "objects": _nested('{"a":', "}", "1"),
    "entities": _laughs,
    "anchors": _yaml_laughs,
    "front matter": lambda n: b"---\na: " + b"[" * n,
}
_SUFFIXES = (
    "md rst txt html json yaml toml py js ts go rs java c cpp cs rb php sql sh ipynb xml csv json5 "
    "jsonl pdf docx"
).split()
_NAMES = ("CODEOWNERS", "package.json", "go.mod", "pyproject.toml", "requirements.txt", "mcp.json")
_SIZES = (3_000, 40_000, 200_000)

FORMS: list[tuple[str, str, Form]] = [
    (f"{trick} as {name}", name, form)
    for trick, form in _TRICKS.items()
    for name in (*(f"x.{suffix}" for suffix in _SUFFIXES), *_NAMES)
]
"""Every trick in every format: what it is, what the file is called, how it is made."""

_HEAVY_WORD: dict[str, Form] = {
    "a Word file of one long paragraph": lambda _: _word(
        b"<w:p><w:r><w:t>" + b"a " * (50 << 20) + b"</w:t></w:r></w:p>"
    ),
    "a Word file of many paragraphs": lambda _: _word(
        b"<w:p><w:r><w:t>a</w:t></w:r></w:p>" * 400_000
    ),
    "a Word file with entities": lambda _: _word(
        b"&l8;", _laughs(0).replace(b"DOCTYPE x", b"DOCTYPE w:document")
    ),
    "a Word file nested deeply": lambda _: _word(b"<w:p>" * 20_000),
    "a zip that is no Word file": lambda _: zipped(("a", b"\0" * (30 << 20))),
    "a zip of a thousand members": lambda _: zipped(
        *((f"word/{i}.xml", b"<a/>") for i in range(2_000))
    ),
    "a zip that leads out": lambda _: zipped(
        ("../../../etc/x", b"a"), ("[Content_Types].xml", _TYPES)
    ),
}
_SHOWN = b"BT /F 9 Tf (a word) Tj ET"
_HEAVY_PDF: dict[str, Form] = {
    "a PDF whose page swells": lambda _: pdf(
        zlib.compress(b"BT /F 9 Tf (word ) Tj ET\n" * 600_000, 9)
    ),
    "a PDF of much text": lambda _: pdf(
        zlib.compress(b"BT /F 9 Tf " + b"(some words) Tj 0 -9 Td " * 10_000 + b"ET", 9),
        pages=3_000,
    ),
    "a PDF that swells twice": lambda _: pdf(
        zlib.compress(zlib.compress(b" " * (200 << 20), 9), 9),
        filters=b"[/FlateDecode /FlateDecode]",
    ),
    "a PDF of many pages": lambda _: pdf(zlib.compress(_SHOWN), pages=10_000),
    "a PDF that is cut": lambda _: pdf(zlib.compress(_SHOWN))[:300],
}
HEAVY: list[tuple[str, str, Form]] = [
    *((what, "x.docx", make) for what, make in _HEAVY_WORD.items()),
    *((what, "x.pdf", make) for what, make in _HEAVY_PDF.items()),
    ("a notebook of many cells", "x.ipynb", lambda _: _notebook(3_000_000)),
    ("a gzip called text", "x.txt", lambda _: gzip.compress(b"a" * (50 << 20))),
]
"""Files that are small and unpack to much."""


class Files(Trial):
    """See the module."""

    name: ClassVar[str] = "files"
    what: ClassVar[str] = "hostile files for every reader"
    cases: ClassVar[int] = 400

    def __init__(self, prepared: Path, seed: int, warm: Warm) -> None:
        super().__init__(prepared, seed, warm)
        order = list(FORMS)
        random.Random(seed).shuffle(order)
        self._order = [*HEAVY, *order]

    def case(self, number: int, dice: random.Random, hands: Hands) -> None:
        """Index one hostile file beside an honest one."""
        what, name, make = self._order[number % len(self._order)]
        size = dice.choice(_SIZES)
        read_hostile(hands, what, name, make(size))


def make_heavy(what: str) -> bytes:
    """The file of `HEAVY` that is called so."""
    return next(make(0) for name, _, make in HEAVY if name == what)


def read_hostile(
    hands: Hands, what: str, name: str, data: bytes, *, cpu_s: int = CPU_S, max_seconds: int = 0
) -> None:
    """Index `data` under `name` in an empty folder; raises Broken when it does harm. Readers have
    `max_seconds` a file; 0: what they have by default."""
    home, size = hands.folder, f"{what}, {len(data)} bytes"
    (home / name).write_bytes(data)
    (home / "honest.md").write_text("# Honest\n\nThe quagga grazes here.\n")
    env = NO_MODEL | {"QUIPU_INDEX_WORKERS": "1"}
    if max_seconds:
        env["QUIPU_INDEX_MAX_SECONDS"] = str(max_seconds)
    limits = Limits(cpu_s=cpu_s, space_bytes=SPACE_BYTES)

    def quipu(*words: str) -> Done:
        return hands.warm.quipu(*words, cwd=home, env=env, limits=limits)

    quipu("init")
    done = quipu("index", ".", "--json")
    demand(done.code >= 0, f"{size}: not read within {cpu_s} s of a processor, or it fell")
    honest(done, f"{size}:", codes=(0, 1))
    demand(done.peak_mb <= MEMORY_MB, f"{size}: it took {done.peak_mb:.0f} MB")
    found = quipu("search", "--json", "quagga")
    demand(
        not found.code and "quagga" in found.out,
        f"{size}: the honest file beside it is not found: {found.err.strip()[-200:]}",
    )
    report = json.loads(done.out)
    is_told = any(row["path"] == name for row in report.get("errors", ()))
    is_told = is_told or any(name in note for note in report.get("notes", ()))
    is_in = quipu("get", name).code == 0
    demand(is_in or is_told or not data.strip(), f"{size}: neither in nor a row of the report")
