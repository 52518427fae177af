"""Files that a program wrote are known by what they look like; what people wrote never looks so."""

import json

import pytest

from quipu.read.kinds import shape_of

_FUNCTION = (
    "function {0}(t,e){{if(t===null||e<0)return e.map(n=>n+{1});var r=t.length;for(let i=0;i<r;i++)"
    "e.push({0}(t[i],i));return(r>1?e:t).slice(0,{1})}}"
)
_WRITTEN = """
/** Returns what is left of the total when each of the given parts is taken away. */
export function remainder{0}(total, parts) {{
  if (total === null || parts.length === 0) {{
    return total;
  }}
  return parts.reduce((left, part) => left - part, total);
}}
"""


def _bundle(count: int) -> str:
    return "".join(_FUNCTION.format(f"f{n}", n) for n in range(count))


def _wrapped(text: str, width: int) -> str:
    """A bundle whose lines are broken after a statement, as some compilers do."""
    lines, line = [], ""
    for part in text.split(";"):
        line += part + ";"
        if len(line) >= width:
            lines.append(line)
            line = ""
    return "\n".join([*lines, line])


_RULE = ".a{0}>li:hover,.b{0}{{margin:0 auto;padding:{0}px;color:#fff;background:url(x{0}.png)}}"
_TABLE = ",".join(str(n * 7919 % 10_007) for n in range(4_000))
_TEXTS = ", ".join(f'"k{n}": "Say {n} times that all of it was read"' for n in range(300))
_LICENCE = "/*!\n" + " * Permission is granted to anybody who asks for it.\n" * 40 + " */\n"

WRITTEN_BY_A_PROGRAM = {
    "bundle on one line": ("app.js", _bundle(100), "minified code"),
    "bundle with a licence": ("static/main.8f2c.js", _LICENCE + _bundle(100), "minified code"),
    "bundle in lines of 500": ("closure.js", _wrapped(_bundle(100), 500), "minified code"),
    "module": ("dist/index.mjs", "import a from'a';" + _bundle(60), "minified code"),
    "typed": ("x.ts", _bundle(100), "minified code"),
    "style sheet": ("site.css", "".join(_RULE.format(n) for n in range(90)), "minified code"),
    "data on one line": (
        "stats.json",
        json.dumps([{"id": n, "name": f"module {n}"} for n in range(5_000)]),
        "JSON on one line",
    ),
}
WRITTEN_BY_PEOPLE = {
    "code": ("a.js", "".join(_WRITTEN.format(n) for n in range(60))),
    "code with a few long lines": (
        "a.js",
        "".join(_WRITTEN.format(n) for n in range(60)) + f"const t = [{_TABLE[:6_000]}];\n",
    ),
    "small code on one line": ("a.js", _bundle(10)),
    "table of numbers": ("table.py", f"TABLE = [{_TABLE}]\n"),
    "table of texts": ("texts.ts", f"export default {{ {_TEXTS} }}\n"),
    "style sheet": ("a.css", "\n".join(_RULE.format(n) for n in range(90))),
    "prose in one line": ("a.md", "We decided (again) to keep it; x = 1. " * 5_000),
    "prose without spaces": ("a.txt", _bundle(100)),
    "statements": (
        "a.sql",
        "INSERT INTO t VALUES " + ",".join(f"({n},'a');" for n in range(4_000)),
    ),
    "script": ("a.sh", _bundle(100)),
    "small data on one line": ("a.json", json.dumps([{"id": n} for n in range(5_000)])),
}


@pytest.mark.parametrize("case", WRITTEN_BY_A_PROGRAM)
def test_what_a_program_wrote_is_known(case: str) -> None:
    path, text, shape = WRITTEN_BY_A_PROGRAM[case]
    assert shape_of(path, text.encode()) == shape


@pytest.mark.parametrize("case", WRITTEN_BY_PEOPLE)
def test_what_people_wrote_looks_like_no_program(case: str) -> None:
    path, text = WRITTEN_BY_PEOPLE[case]
    assert shape_of(path, text.encode()) == ""
