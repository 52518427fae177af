"""Every page of a SQLite file with checksums, verified one by one, those in nobody's use too."""

from functools import partial
from io import SEEK_CUR, BytesIO
from pathlib import Path

from quipu.files import checked

__all__ = ["damaged_pages", "logged_pages", "page_size"]

_HEAD, _FRAME = 32, 24


def page_size(head: bytes) -> int:
    """Of the file that begins with `head`; 0 when that is no SQLite file."""
    size = int.from_bytes(head[16:18], "big")
    size = 65536 if size == 1 else size
    whole = head[:16] == b"SQLite format 3\0" and size >= 512 and not size & (size - 1)
    return size if whole else 0


def damaged_pages(path: Path, size: int) -> list[int]:
    """The pages (from 1) that are not as they were written; a last one that is cut is one."""
    connection = checked.connect(":memory:")
    try:

        def is_whole(data: bytes) -> bool:
            return connection.execute("SELECT verify_checksum(?)", (data,)).get == 1

        with path.open("rb") as stream:
            pages = enumerate(iter(partial(stream.read, size), b""), 1)
            suspects = [number for number, data in pages if not is_whole(data)]
            found: list[int] = []
            for number in suspects:  # somebody may have been writing it
                stream.seek((number - 1) * size)
                if not is_whole(stream.read(size)):
                    found.append(number)
            return found
    finally:
        connection.close()


def logged_pages(path: Path) -> frozenset[int]:
    """The pages whose present content stands in a write-ahead log that is whole: what the database
    holds of them counts no more. A checkpoint that ended inside one leaves it half put."""
    pages: list[int] = []
    committed = 0
    with path.open("rb") if path.is_file() else BytesIO() as stream:
        head = stream.read(_HEAD)
        size = int.from_bytes(head[8:12], "big")
        while len(frame := stream.read(_FRAME)) == _FRAME and frame[8:16] == head[16:24]:
            stream.seek(size, SEEK_CUR)
            pages.append(int.from_bytes(frame[:4], "big"))
            if any(frame[4:8]):
                committed = len(pages)
    return frozenset(pages[:committed])
