"""Threads of trackers and chats: issues and pull requests, channels of Slack and Discord.

    GitHub     `gh issue list --json …`, `gh pr list --json …`, pages of the API (Gitea's alike)
    GitLab     issues and merge requests of the API
    Slack      a day of a channel, as the export has it
    Discord    a channel, as DiscordChatExporter writes it

A thread is a session, a comment a turn of whoever wrote it; what a tracker knows besides (who
merged it, what it closes, which commits and files it has) are its last turns, a sentence each.
Nobody in a thread is the memory's user, so nothing said there is an instruction of theirs.
"""

import re
from collections.abc import Callable, Iterator
from typing import cast

from quipu.kinds.conversations.read.collect import Collector, Content
from quipu.kinds.conversations.read.values import Json, objects, text
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "is_discord",
    "is_slack",
    "is_thread",
    "read_discord",
    "read_slack",
    "read_threads",
]

_URLS = ("url", "html_url", "web_url", "issue_url", "pull_request_url")
_PLACE = re.compile(
    r"https?://[^/\s]+/(?:repos/|api/v\d/repos/)?(?P<repository>[^?#]+?)/(?:-/)?"
    r"(?P<kind>issues|pulls?|merge_requests)/(?P<number>\d+)"
)
_KINDS = {"issues": "Issue", "merge_requests": "Merge request"}
_BODY = ("body", "description")
_WRITTEN = ("createdAt", "created_at", "submittedAt", "submitted_at")
_ENDED = (
    ("merged", ("mergedAt", "merged_at"), ("mergedBy", "merged_by", "merge_user")),
    ("closed", ("closedAt", "closed_at"), ("closedBy", "closed_by")),
)
_MOST = 40
"""Commits, files, people and labels that are named of each."""
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,9})?")
_SLACK_TEXTS = frozenset({"text", "attachments", "blocks"})
_MENTION = re.compile(r"<(@|#|!|https?:)([^>|]*)(?:\|([^>]*))?>")


def is_thread(fields: Json) -> bool:
    """Return whether an object is an issue, a pull request, or a comment or review of one."""
    has_text = "title" in fields or any(isinstance(fields.get(key), str) for key in _BODY)
    return has_text and _place(fields) is not None


def read_threads(collector: Collector, value: object) -> None:
    """Read issues, pull requests, their comments and reviews, in the order of the file."""
    for fields in objects(value):
        place = _place(fields)
        if place is None:
            collector.problem("an entry names no issue by its `url`: ask for it, `--json url,…`")
            continue
        repository = place["repository"]
        session = _session(fields)
        if "title" in fields:
            kind = _KINDS.get(place["kind"], "Pull request")
            _read_thread(collector, fields, session, repository, kind)
        else:
            collector.open(session, group=repository)
            _add(collector, session, fields)


def _read_thread(
    collector: Collector, fields: Json, session: str, repository: str, kind: str
) -> None:
    title = text(fields, "title")
    time = _time(collector, fields, _WRITTEN)
    collector.open(session, group=repository, title=f"{session}: {title}", time=time)
    content = Content([f"{title}\n\n{text(fields, *_BODY)}"])
    collector.message(session, content, role="other", speaker=_who(fields), time=time)
    said = [*_nodes(fields.get("comments")), *_nodes(fields.get("reviews"))]
    said += _nodes(fields.get("notes"))
    for comment in sorted(said, key=lambda each: text(each, *_WRITTEN)):
        _add(collector, session, comment)
    ended = _time(collector, fields, tuple(key for _, times, _ in _ENDED for key in times))
    for sentence in _known(fields, session, f"{kind} {session} “{title}”"):
        content = Content([sentence])
        collector.message(session, content, role="note", speaker="tracker", time=ended)


def _known(fields: Json, session: str, named: str) -> Iterator[str]:
    """What a tracker knows of a thread, a sentence each."""
    opened = f"{named} was opened by {_who(fields) or 'somebody'}"
    ends = (
        f", {words} by {_name_at(fields, people) or 'somebody'} on {when[:10]}"
        for words, times, people in _ENDED
        if (when := text(fields, *times))
    )
    yield f"{opened}{next(ends, '')}."
    for words, keys, names in _LISTS:
        found = [name for key in keys for row in _nodes(fields.get(key)) if (name := names(row))]
        if found:
            yield f"{session} {words} {', '.join(found[:_MOST])}."


def _add(collector: Collector, session: str, fields: Json) -> None:
    """A comment, or a review with what it decided."""
    state = text(fields, "state").replace("_", " ").lower()
    who, body = _who(fields), text(fields, *_BODY)
    if state and state not in ("open", "closed", "commented", "pending"):
        body = f"{who or 'Somebody'} reviewed this: {state}.\n\n{body}".strip()
    time = _time(collector, fields, _WRITTEN)
    collector.message(session, Content([body]), role="other", speaker=who, time=time)


def _place(fields: Json) -> re.Match[str] | None:
    return next((m for key in _URLS if (m := _PLACE.match(text(fields, key)))), None)


def _session(fields: Json) -> str:
    """`owner/repository#12`; the number alone where no address tells the repository."""
    place = _place(fields)
    return f"{place['repository']}#{place['number']}" if place else f"#{text(fields, 'number')}"


def _nodes(value: object) -> list[Json]:
    """The rows of a list, or of what has a list of `nodes`."""
    if isinstance(value, dict):
        return objects(cast(Json, value).get("nodes") or [])
    return objects(cast(object, value)) if isinstance(value, list) else []


def _object(fields: Json, key: str) -> Json:
    return next(iter(objects(fields.get(key))), Json())


def _who(fields: Json) -> str:
    return _name_at(fields, ("author", "user"))


def _name_at(fields: Json, keys: tuple[str, ...]) -> str:
    names = (_own(row) for key in keys for row in objects(fields.get(key)))
    return next((name for name in names if name), "")


def _own(row: Json) -> str:
    return text(row, "login", "username", "nickname", "name")


def _time(collector: Collector, fields: Json, keys: tuple[str, ...]) -> str:
    written = text(fields, *keys)
    return collector.time(written) if written else UNKNOWN_TIME


def is_slack(fields: Json) -> bool:
    """Return whether an object is a message of Slack's export."""
    return fields.get("type") == "message" and bool(text(fields, "ts"))


def read_slack(collector: Collector, value: object) -> None:
    """Read a day of a channel: a thread is a session, what stands alone the channel's own. Its
    folder is the channel's name where the path has one."""
    channel = collector.folder or collector.session
    for fields in objects(value):
        if fields.get("type") != "message" or not fields.keys() & _SLACK_TEXTS:
            continue
        thread = text(fields, "thread_ts")
        session = f"{channel}/{thread}" if thread else f"{channel}/{collector.session}"
        collector.open(session, group=channel, title=f"#{channel}")
        profile = [*objects(fields.get("user_profile")), *objects(fields.get("bot_profile"))]
        names = [text(row, "display_name", "real_name", "name") for row in profile]
        speaker = next(filter(None, names), text(fields, "user", "username"))
        said = _MENTION.sub(_mentioned, _said_in_slack(fields))
        captions = [text(row, "name", "title") or "file" for row in _nodes(fields.get("files"))]
        stamp = text(fields, "ts")
        time = collector.time(float(stamp) if _NUMBER.fullmatch(stamp) else stamp)
        content = Content([said], captions)
        collector.message(session, content, role="other", speaker=speaker, time=time)


def _said_in_slack(fields: Json) -> str:
    """The text of a message, with the attachments that a program says it in; pages that Slack shows
    of an address are nobody's words. Of blocks alone what is written in them."""
    parts = [text(fields, "text")]
    for row in _nodes(fields.get("attachments")):
        if not text(row, "from_url"):
            lines = (text(row, "pretext"), text(row, "title"), text(row, "text", "fallback"))
            parts.append("\n".join(filter(None, lines)))
    return "\n\n".join(filter(None, parts)) or _written_in(fields.get("blocks"))


def _written_in(blocks: object) -> str:
    """The texts in blocks, in their order, however deep they lie."""
    found: list[str] = []
    waiting = [blocks]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list):
            waiting += reversed(cast(list[object], value))
        elif isinstance(value, dict):
            row = cast(Json, value)
            waiting += [row.get(key) for key in ("elements", "fields", "text")]
    return " ".join(found)


def _mentioned(match: re.Match[str]) -> str:
    mark, target, label = match.groups()
    if mark.startswith("http"):
        return label or f"{mark}{target}"
    return f"{mark}{label or target}"


def is_discord(fields: Json) -> bool:
    """Return whether an object is a channel as DiscordChatExporter writes it."""
    return isinstance(fields.get("channel"), dict) and isinstance(fields.get("messages"), list)


def read_discord(collector: Collector, value: object) -> None:
    """Read a channel; the guild is the group."""
    for holder in objects(value):
        channel, guild = _object(holder, "channel"), _object(holder, "guild")
        name = text(channel, "name") or collector.session
        group = text(guild, "name") or name
        session = f"{group}/{name}"
        collector.open(session, group=group, title=f"#{name}")
        for fields in objects(holder.get("messages")):
            author = _object(fields, "author")
            captions = [
                text(row, "fileName") or "file" for row in objects(fields.get("attachments"))
            ]
            time = _time(collector, fields, ("timestamp",))
            speaker = text(author, "nickname", "name")
            said = text(fields, "content")
            if not said or author.get("isBot") is True:
                said = "\n\n".join(filter(None, (said, *_embedded(fields))))
            content = Content([said], captions)
            collector.message(session, content, role="other", speaker=speaker, time=time)


def _embedded(fields: Json) -> Iterator[str]:
    """What the embeds of a program say; in other messages they are pages that Discord shows."""
    for row in objects(fields.get("embeds")):
        lines = [text(row, "title"), text(row, "description")]
        lines += [
            f"{text(each, 'name')}: {text(each, 'value')}" for each in objects(row.get("fields"))
        ]
        yield "\n".join(filter(None, lines))


def _commit(row: Json) -> str:
    return f"{text(row, 'oid', 'sha')[:12]} ({text(row, 'messageHeadline')})"


_LISTS: tuple[tuple[str, tuple[str, ...], Callable[[Json], str]], ...] = (
    ("closes", ("closingIssuesReferences",), _session),
    ("is assigned to", ("assignees",), _own),
    ("waits for the review of", ("reviewRequests", "requested_reviewers", "reviewers"), _own),
    ("has the labels", ("labels",), lambda row: text(row, "name")),
    ("has the commits", ("commits",), _commit),
    ("changes", ("files",), lambda row: text(row, "path", "filename")),
)
"""What of a thread is a list: how it is said, its keys, and the name of a row."""
