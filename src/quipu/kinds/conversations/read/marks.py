"""What programs put into messages between their own marks, which nobody said."""

import re

__all__ = ["without_marks"]

_TAGS = (
    "bash-input bash-stdout bash-stderr collaboration_mode command-args command-message "
    "command-name environment_context function_results ide_opened_file ide_selection INSTRUCTIONS "
    "local-command-caveat local-command-stderr local-command-stdout permissions skill "
    "system-reminder task-notification tool_call tool_result tool_use turn_aborted "
    "user-prompt-submit-hook user_instructions user_shell_command"
).split()
_OPENING = re.compile(rf"<(?P<tag>{'|'.join(map(re.escape, _TAGS))})(?=[\s>])[^<>]{{0,200}}>")
_INTERRUPTED = re.compile(r"\[Request interrupted by user(?: for tool use)?\]")


def without_marks(text: str) -> str:
    """Return `text` without what stands between a program's marks; what is never closed stays."""
    kept: list[str] = []
    at = 0
    while match := _OPENING.search(text, at):
        closing = f"</{match['tag']}>"
        end = text.find(closing, match.end())
        if end < 0:
            break
        kept.append(text[at : match.start()])
        at = end + len(closing)
    return _INTERRUPTED.sub("", "".join((*kept, text[at:])))
