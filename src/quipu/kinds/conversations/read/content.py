"""A message's content in the block forms that model providers share.

Text is speech; pictures and files are captions. Tool use, tool results, thinking and unknown blocks
are passed over: providers add kinds, and a new kind is no damage.
"""

from quipu.errors import InvalidInput
from quipu.kinds.conversations.read.collect import Content
from quipu.kinds.conversations.read.values import Json, shown, text

__all__ = ["read_content"]

_SPEECH = frozenset({"text", "input_text", "output_text", "refusal"})
_FILES = frozenset({"file", "input_file", "document", "attachment"})
_PICTURES = frozenset({"image", "image_url", "input_image", "image_asset_pointer"})


def read_content(value: object) -> Content:
    """`value` (text, or a list of text and blocks) by kind. Raises InvalidInput otherwise."""
    if value is None:
        return Content()
    if isinstance(value, str):
        return Content(speech=[value])
    content = Content()
    for block in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
        if isinstance(block, str):
            content.speech.append(block)
        elif isinstance(block, dict):
            fields: Json = block  # pyright: ignore[reportUnknownVariableType]
            _add(content, fields, text(fields, "type"))
        else:
            raise InvalidInput(f"the message's content is {shown(value)}, not text or blocks")  # pyright: ignore[reportUnknownArgumentType]
    return content


def _add(content: Content, block: Json, kind: str) -> None:
    if kind in _SPEECH:
        content.speech.append(text(block, "text", "refusal"))
    elif kind in _PICTURES:
        content.captions.append(text(block, "alt", "caption", "title") or "image")
    elif kind in _FILES:
        content.captions.append(text(block, "file_name", "filename", "title", "name") or "file")
