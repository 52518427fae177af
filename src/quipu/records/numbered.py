"""The names of goals and tasks in text: `task-12`, `goal-reduce-the-wait`."""

import re

__all__ = ["NAME", "names_in"]

# "task-force" and "goal-line" are words: a name has a number, or is as long as a title.
NAME = r"(?:goal|task)-(?:(?=[\w.-]*\d)\w+(?:[.-]\w+)*|\w+(?:-\w+){2,})"
_NAMED = re.compile(rf"(?i)(?<![\w/-]){NAME}")


def names_in(text: str) -> list[str]:
    """The names of goals and tasks that stand in a text, in order."""
    return _NAMED.findall(text)
