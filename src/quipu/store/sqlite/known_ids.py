"""Which chunk has which number: what a search asks again and again, read once."""

from collections.abc import Iterable

_MOST = 20_000


class KnownIds:
    """Ids by number and numbers by id, of live chunks, for as long as nothing ends."""

    def __init__(self) -> None:
        self._ended = -1
        self._by_number: dict[int, tuple[str, str]] = {}
        self._by_id: dict[str, int] = {}

    def at(self, ended: int) -> None:
        """Forget everything if more has `ended` since; a bounded part is kept of much."""
        if ended != self._ended or len(self._by_number) > _MOST:
            self._by_number, self._by_id = {}, {}
            self._ended = ended

    def put(self, rows: Iterable[tuple[int, str, str]]) -> None:
        """Take in number, chunk and document of live chunks."""
        for number, chunk_id, document_id in rows:
            self._by_number[number] = (chunk_id, document_id)
            self._by_id[chunk_id] = number

    def unknown(self, numbers: Iterable[int]) -> list[int]:
        """The numbers that were not put."""
        return [number for number in numbers if number not in self._by_number]

    def unknown_ids(self, chunk_ids: Iterable[str]) -> list[str]:
        """The ids that were not put."""
        return [chunk_id for chunk_id in chunk_ids if chunk_id not in self._by_id]

    def of(self, number: int) -> tuple[str, str] | None:
        """The chunk and the document with this number."""
        return self._by_number.get(number)

    def number(self, chunk_id: str) -> int:
        """The number of a live chunk; -1 for others."""
        return self._by_id.get(chunk_id, -1)
