"""Odd YAML, TOML and JSON: a warning with its line at most, never a lost file."""

from collections.abc import Callable

import pytest

from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]


def warned(document: Document) -> str:
    return "; ".join(problem.error for problem in document.problems)


@pytest.mark.parametrize(
    "front",
    [
        "a: !!timestamp abc",
        "a: !!float ''",
        "a: !!int ''",
        "a: !!bool x",
        "a: !foo bar",
        "a: !!python/object:os.system x",
        "[1]: a",
        "a: &a [*a]",
        "b: *a",
        "a: {{date}}",
        "a: {x: 1",
        "a:\n  b: @x",
        "a: !!int " + "9" * 5000,
        "a: !!set [b]",
        "{" * 2000,
    ],
)
def test_front_matter_that_cannot_be_built_is_a_warning(front: str, read: Read) -> None:
    document = read("x.md", f"---\n{front}\n---\n# T\n")
    assert document.title == "T"
    assert document.properties == {}
    assert "front matter is not valid YAML" in warned(document)


@pytest.mark.parametrize(
    ("bad", "read_as"),
    [
        ("title: ADR 7: Use SQLite", "ADR 7: Use SQLite"),
        ("title: *Italic*", "*Italic*"),
        ("title: 'It's here'", "It's here"),
        ('title: "C:\\Users\\ann"', "C:\\Users\\ann"),
        ("title: @team  # of payments", "@team"),
        ("title: `code` and: more", "`code` and: more"),
        ("title: 2026-02-30", "2026-02-30"),
        ("title:Bo", "Bo"),
        ("title: [@a, b]", None),
        ("title:\n\t- a", ["a"]),
        ("title: {{title}}", None),
        ("title: [{a: 1", None),
        ("title: &a [x]\nb: *a", ["x"]),
    ],
)
def test_a_bad_line_of_front_matter_costs_no_other_line(
    bad: str, read_as: object, read: Read
) -> None:
    document = read("x.md", f"---\nstatus: live\n{bad}\nowner: Ada\ntags: [a]\n---\n# T\n")
    properties = {"status": "live", "owner": "Ada", "tags": ["a"]}
    properties |= {} if read_as is None else {"title": read_as}
    assert document.properties == properties
    problems = document.problems
    if "\t" not in bad:
        assert [each.line for each in problems] in ([3], [4])
        assert problems[0].error.startswith("front matter is not valid YAML at `")
    assert {(stated.type, stated.target) for stated in document.relations} == {("OWNED_BY", "Ada")}


@pytest.mark.parametrize("written", ["1.10", "007", "12:30", "no", "on", "1_000", "0x1F", "1e3"])
def test_what_front_matter_says_stays_as_it_is_written(written: str, read: Read) -> None:
    document = read("x.md", f"---\nversion: {written}\nbuild: 7\nlive: true\n---\n# T\n")
    assert document.properties == {"version": written, "build": 7, "live": True}
    assert document.problems == ()


def test_odd_values_of_front_matter_become_plain_data(read: Read) -> None:
    text = (
        "---\nnames: !!set {c, b, a}\nraw: !!binary aGVsbG8=\nbig: 123456789012345678901234567890\n"
        'half: "a\\ud800b"\nnot: .nan\nlist: !!omap [x: 1]\n---\n# T\n'
    )
    document = read("x.md", text)
    assert document.properties == {
        "names": ["a", "b", "c"],
        "raw": "hello",
        "big": "123456789012345678901234567890",
        "half": "a\ufffdb",
        "not": ".nan",
        "list": [["x", 1]],
    }
    assert document.problems == ()


@pytest.mark.parametrize(
    "key", ["decided_by", "Decided by", "decided-by", "DECIDED BY", "Decided-By"]
)
def test_a_key_is_one_word_however_it_is_written(key: str, read: Read) -> None:
    document = read("x.md", f"---\nStatus: Live\n{key}: ADR-1\n---\n# T\n")
    assert document.properties == {"status": "Live", "decided_by": "ADR-1"}
    (stated,) = document.relations
    assert (stated.type, stated.target, stated.line, stated.as_written) == (
        "DECIDED_BY",
        "ADR-1",
        3,
        key,
    )


def test_a_key_that_is_there_twice_is_said(read: Read) -> None:
    document = read("x.md", "---\nStatus: draft\nstatus: live\nTitle: T\n---\nx\n")
    assert (document.properties["status"], document.title) == ("live", "T")
    assert "'status' more than once" in warned(document)
    document = read("x.md", "---\nowner: Ann\nowner: Bo\n---\nx\n")
    assert document.properties == {"owner": "Bo"}
    assert [(p.line, "'owner' more than once" in p.error) for p in document.problems] == [(3, True)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("x.yaml", "[" * 900_000),
        ("x.yaml", "{a: " * 200_000),
        ("x.yaml", "- " * 400_000),
        ("x.yaml", "? " * 400_000),
        ("compose.yaml", "services:\n  a: " + "[" * 500_000),
        ("x.toml", "a." * 400_000 + "a = 1"),
        ("x.toml", "[" + "a." * 400_000 + "a]"),
        ("x.toml", "a = {" + "a." * 400_000 + "a = 1}"),
        ("x.json", "[" * 900_000),
        ("x.jsonl", "[" * 900_000),
    ],
)
def test_nesting_without_end_is_a_warning_and_no_crash(path: str, text: str, read: Read) -> None:
    document = read(path, text)
    assert document.text == text
    assert "not whole" in warned(document)


@pytest.mark.parametrize(
    ("path", "text", "keys"),
    [
        ("a.jsonc", '// note\n{"one": {"x": 1}, /* "no": */\n "two": "//",\n}\n', True),
        ("tsconfig.json", '{\n  // note\n  "one": [1,],\n}\n', True),
        (".vscode/settings.json", '{"one": 1, // x\n}\n', True),
        ("a.json5", "{one: 'it\\'s', // note\n 'two': +1, \"three\": [1,],}\n", True),
        ("a.jsonl", '{"one": 1}\n\n[2]\n"three"\n', False),
        ("a.ndjson", '{"one": 1}\n{"one": 2}\n', False),
    ],
)
def test_the_relatives_of_json_are_whole(path: str, text: str, keys: bool, read: Read) -> None:
    padded = text + " " * 5 + "\n" * 3
    document = read(path, padded)
    assert document.problems == ()
    assert document.text == padded
    assert document.family == "data"
    long = read(path, text.replace("1", "1" + " " * 1000))
    assert any(section.path for section in long.sections) == keys


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": \n{"a": 3}\n', 2),
        ("a.json5", "{a: 1,\n b: [}\n", 2),
        ("a.json5", "{a: 1,\n b: [1]\n", 3),
        ("a.json", '{"a": 1} // no\n', 0),
    ],
)
def test_what_is_not_whole_says_where(path: str, text: str, line: int, read: Read) -> None:
    (problem,) = read(path, text).problems
    assert "not whole" in problem.error
    assert problem.line == line
