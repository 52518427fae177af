"""What later became of what a sentence tells, said in other words than it is asked for in.

"Fuel is bought at Pollard's", then "Pollard's have gone up again. I now fill the cans at the marina
pump": who tells of a change often names what held until then, and nothing else of the question. So
what names it later is read once more, behind the sentence that it may change.
"""

import re
from collections.abc import Mapping, Sequence

from quipu.answer.answer_type import holds, kind_asked
from quipu.kinds.conversations.answering.inputs import Said
from quipu.text import stems

__all__ = ["later_of_it"]

_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-z]\w*|\b\w*\d[\w.:]*")
"""A word with a capital that begins no sentence, or one with a number."""


def later_of_it(
    question: str, told: str, words: str, day: str, said: Mapping[str, Said]
) -> Sequence[str]:
    """The ids of what was said later than a sentence that was `told` on a `day` (empty: before
    all), names what that tells beside the question (its names and numbers, and the `words` of it
    that answer), and tells something else of the kind that is asked for."""
    later = {id_: each.text for id_, each in said.items() if each.when > day}
    named = " ".join((words, *_NAME.findall(told))) if later else ""
    names = frozenset(stems(named)) - frozenset(stems(question))
    kind = kind_asked(question)
    beside = f"{question} {told}"
    return [
        id_
        for id_, text in later.items()
        if names & frozenset(stems(text)) and (kind is None or holds(kind, text, beside))
    ]
