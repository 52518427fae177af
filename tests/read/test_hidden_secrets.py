"""A secret that markup, an escape or a place beside the text hides is taken out all the same."""

import json
from collections.abc import Callable

import pytest

from quipu.read import redact
from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]

KEY = "ghp_" + "a1B2" * 9
HEAD, TAIL = KEY[:20], KEY[20:]


def leaked(document: Document) -> bool:
    """Whether the key, or the half of it that an identifier would be, is anywhere."""
    return any(part in str(document) for part in (KEY, HEAD, TAIL))


@pytest.mark.parametrize(
    "hidden",
    [
        f"{HEAD}<wbr>{TAIL}",
        f"{HEAD}<!-- x -->{TAIL}",
        f"<b>{HEAD}</b><i>{TAIL}</i>",
        f"{HEAD}&shy;{TAIL}",
        f"{HEAD}&#8203;{TAIL}",
        f"{HEAD}&#{ord(TAIL[0])};{TAIL[1:]}",
        "".join(f"&#x{ord(c):x};" for c in KEY),
        f"<pre><span>{HEAD}</span>{TAIL}</pre>",
    ],
)
@pytest.mark.parametrize("place", ["<p>{}</p>", "<h2>{}</h2><p>x</p>", "<ul><li>{}</ul>"])
def test_markup_hides_nothing(place: str, hidden: str, read: Read) -> None:
    document = read("x.html", f"<body>{place.format(hidden)}</body>")
    assert not leaked(document)
    assert "[redacted:github-token]" in document.text
    assert document.redactions["github-token"] >= 1


@pytest.mark.parametrize(
    "page",
    [
        f"<title>{HEAD}&#{ord(TAIL[0])};{TAIL[1:]}</title><p>x</p>",
        f'<a href="https://x.org/{HEAD}&#{ord(TAIL[0])};{TAIL[1:]}">x</a>',
    ],
)
def test_titles_and_addresses_of_pages(page: str, read: Read) -> None:
    document = read("x.html", page)
    assert not leaked(document)
    assert document.redactions == {"github-token": 1}


ESCAPED = "\\u0067" + KEY[1:]  # what JSON and YAML read as the key


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("x.md", f'---\nnote: "{ESCAPED}"\n---\n# T\n'),
        ("x.md", f'---\n"{ESCAPED}": 1\n---\n# T\n'),
        ("x.md", f'---\nowner: "{ESCAPED}"\nfacts:\n  - {{object: "{ESCAPED}"}}\n---\n# T\n'),
        ("x.md", f"# {HEAD}**{TAIL}**\n\nx\n"),
        ("x.md", f"[x](https://x.org/&#103;{KEY[1:]})\n"),
        ("x.yaml", f'"{ESCAPED}":\n  a: {"x " * 400}\n  b: {"y " * 400}\n'),
        ("x.json", json.dumps({"K": ["x" * 600, "y" * 600]}).replace("K", ESCAPED)),
        ("x.json", f'{{"mcpServers": {{"a": {{"command": "c", "args": ["{ESCAPED}"]}}}}}}'),
        ("package.json", f'{{"name": "{ESCAPED}", "dependencies": {{"{ESCAPED}": "1"}}}}'),
        ("compose.yaml", f'services:\n  "{ESCAPED}":\n    image: "{ESCAPED}"\n'),
    ],
)
def test_what_is_read_out_of_escapes(path: str, text: str, read: Read) -> None:
    document = read(path, text)
    assert KEY not in str(document)
    assert document.redactions["github-token"] >= 1


def test_a_notebook_is_redacted_as_it_is_stored_with_its_outputs(read: Read) -> None:
    cell = {
        "cell_type": "code",
        "source": [f"k = '{HEAD}", f"{TAIL}'"],
        "outputs": [{"text": [f"printed '{HEAD}", f"{TAIL}'\n"]}],
    }
    document = read("x.ipynb", json.dumps({"cells": [cell]}))
    assert not leaked(document)
    assert "printed" in document.text


def test_a_clean_document_is_left_as_it_is(read: Read) -> None:
    document = read("x.md", "---\ntoken: see the vault\n---\n# Tokens\n\n`api_key = load()`\n")
    assert document.redactions == {}
    assert document.properties == {"token": "see the vault"}


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("https://x.org/a?api_key=9f8a7b6c5d4e3f2a1b0c&x=1", "https://x.org/a?api_key=[redacted:"),
        ("[l](https://x.org/?x=1&access_token=9f8a7b6c5d4e3f2a)", "[l](https://x.org/?x=1&access"),
        ("<a href='/?a=1&amp;sig=Zm9v%2BYmFy%2F0123456789%3D'>", "<a href='/?a=1&amp;sig=[reda"),
    ],
)
def test_secrets_in_the_query_of_an_address(written: str, left: str) -> None:
    text, counts = redact(written)
    assert text.startswith(left)
    assert counts == {"url-secret": 1}
    assert redact(text) == (text, {})


@pytest.mark.parametrize(
    "kept", ["https://x.org/?token=none&page=2", "?sig=abcdefgh", "f(a=1; secret=load_it())"]
)
def test_plain_queries_stay(kept: str) -> None:
    assert redact(kept) == (kept, {})
