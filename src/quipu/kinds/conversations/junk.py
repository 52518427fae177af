"""What a conversation holds that nobody said to be remembered: refused by rule, and counted.

* tool noise: text that is nothing but a program's own marks (`<system-reminder>…`, command output);
* boot text: what a system prompt or a note of the program repeats from session to session;
* an echo: a block of recalled passages, as Quipu writes it for a model, and nothing else;
* a repetition: a long text that the same speaker has put into the same session before, word for
  word. Short ones ("Thanks!") are speech and stay.
"""

import hashlib
import re
from typing import Literal, TypeAlias

from quipu.kinds.conversations.model import Turn
from quipu.kinds.conversations.read.collect import without_marks
from quipu.ledger import Ledger
from quipu.ports import Store
from quipu.text import name_key

__all__ = ["Junk", "Seen", "noise"]

Junk: TypeAlias = Literal["tool noise", "boot text", "echo", "repetition"]

_LONG = 200
_SEEN = "seen"
_SOURCE = re.compile(r"\[\d{1,3}\] [^\n]{1,300} \(confidence: \d{1,3}%\)")
_CITE = "cite specific sources using [n]"
_ANSWERED = re.compile(r'\s*\{\s*"results"\s*:\s*\[')


def noise(turn: Turn) -> Junk | None:
    """What kind of junk a turn is by itself; None for speech."""
    text = turn.text.strip()
    if turn.caption.strip() or not text:
        return None
    if not without_marks(text).strip():
        return "tool noise"
    if _is_echo(text):
        return "echo"
    return None


def _is_echo(text: str) -> bool:
    if _ANSWERED.match(text) and '"citations"' in text and '"provider"' in text:
        return True
    if not text.startswith("Context:") or not _SOURCE.search(text[:2_000]):
        return False
    _, rule, rest = text.rpartition("\n---")
    said = "\n".join(line for line in rest.splitlines() if _CITE not in line)
    return bool(rule) and not said.strip(" -\n")


class Seen:
    """Which long texts were kept before: boot text anywhere in the memory, speech in its session.

    A hint in the local state that is never trusted: what is called repeated is still there.
    Without a ledger it is one run's own.
    """

    def __init__(self, store: Store, ledger: Ledger | None) -> None:
        self._store = store
        self._ledger = ledger
        self._run: dict[str, str] = {}
        self._new: dict[str, bytes] = {}

    def repeated(self, turn: Turn, episode_id: str) -> Junk | None:
        """What a turn repeats; what it is the first to say, it has said from now on."""
        if len(turn.text) < _LONG:
            return None
        boot = turn.role in {"system", "note"}
        where = "" if boot else f"{turn.session_id}\0{turn.speaker}"
        said = f"{self._store.namespace}\0{where}\0{name_key(turn.text)}"
        key = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]
        if self._first(key, episode_id) == episode_id:
            return None
        return "boot text" if boot else "repetition"

    def _first(self, key: str, episode_id: str) -> str:
        """The episode that said it first and is still there; `episode_id` if there is none."""
        known = self._run.get(key)
        if known is None and self._ledger is not None:
            entry = self._ledger.get(_SEEN, key)
            recorded = entry.value.decode() if entry else ""
            known = recorded if recorded and self._store.get([recorded]) else None
            if known is None:
                self._new[key] = episode_id.encode()
        return self._run.setdefault(key, known or episode_id)

    def keep(self) -> None:
        """Write down what was said first since the last call, for those who come later."""
        if self._ledger is not None and self._new:
            seen = {(_SEEN, key): value for key, value in self._new.items()}
            self._ledger.change(put=seen)
            self._new = {}
