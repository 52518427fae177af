"""Line numbers for character offsets."""

from bisect import bisect_right


class LineIndex:
    """Which line a character (or byte) offset of a text stands on, from 1."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        starts = [0]
        position = text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = text.find("\n", position + 1)
        self._starts = starts

    def line(self, offset: int) -> int:
        """The line that holds `offset`."""
        return bisect_right(self._starts, offset)
