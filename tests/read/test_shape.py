"""Files that a program wrote are known by what they look like; what people wrote never looks so."""

import base64
import hashlib
import json
from collections.abc import Iterator

import pytest

from quipu.read.shape import shape_of

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


def _hashes(kind: str) -> Iterator[str]:
    for n in range(200):
        yield hashlib.new(kind, b"%d" % n).hexdigest()


def _integrity() -> Iterator[str]:
    for n in range(200):
        digest = hashlib.sha512(b"%d" % n).digest()
        yield base64.b64encode(digest).decode()


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
_BLOB = base64.b64encode(hashlib.shake_256(b"x").digest(30_000)).decode()

WRITTEN_BY_A_PROGRAM = {
    "bundle on one line": ("app.js", _bundle(100), "minified code"),
    "bundle with a licence": ("static/main.8f2c.js", _LICENCE + _bundle(100), "minified code"),
    "bundle in lines of 500": ("closure.js", _wrapped(_bundle(100), 500), "minified code"),
    "module": ("dist/index.mjs", "import a from'a';" + _bundle(60), "minified code"),
    "typed": ("x.ts", _bundle(100), "minified code"),
    "style sheet": ("site.css", "".join(_RULE.format(n) for n in range(90)), "minified code"),
    "compiled code": (
        "a.js",
        _WRITTEN.format(1)
        + "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==",
        "code with its source map",
    ),
    "program in a string": ("wasm.js", f"module.exports='{_BLOB}'\n", "encoded data"),
    "source map": (
        "app.map.json",
        json.dumps({"version": 3, "sources": ["a.ts"], "names": [], "mappings": "AAAA"}, indent=1),
        "source map",
    ),
    "lock file in JSON": (
        "packages.lock.json",
        json.dumps({f"Pkg{n}": {"contentHash": h} for n, h in enumerate(_integrity())}, indent=2),
        "lock file",
    ),
    "lock file in YAML": (
        "conda-lock.yml",
        "".join(
            f"- name: p{n}\n  hash:\n    sha256: {h}\n" for n, h in enumerate(_hashes("sha256"))
        ),
        "lock file",
    ),
    "lock file in TOML": (
        "pylock.toml",
        "".join(f'[[p]]\nname = "p"\nhashes = {{ md5 = "{h}" }}\n' for h in _hashes("md5")),
        "lock file",
    ),
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
    "table of rows": (
        "rows.js",
        "export default [" + ",".join(f"[{n},'a{n}',{{k:{n}}}]" for n in range(900)) + "]",
    ),
    "bytes": ("font.c", "static const x[] = {" + ",".join(hex(n) for n in range(4_000)) + "};"),
    "icon in code": (
        "icon.ts",
        "".join(_WRITTEN.format(n) for n in range(20)) + f'const i = "{_BLOB}"',
    ),
    "style sheet": ("a.css", "\n".join(_RULE.format(n) for n in range(90))),
    "font in a style sheet": (
        "a.css",
        "\n".join(_RULE.format(n) for n in range(90)) + f"\n@x{{src:url({_BLOB})}}",
    ),
    "prose in one line": ("a.md", "We decided (again) to keep it; x = 1. " * 5_000),
    "prose without spaces": ("a.txt", _bundle(100)),
    "page": ("a.html", f"<p>{_bundle(100)}</p>"),
    "table": ("a.csv", f"{_TABLE}\n" * 20),
    "statements": (
        "a.sql",
        "INSERT INTO t VALUES " + ",".join(f"({n},'a');" for n in range(4_000)),
    ),
    "script": ("a.sh", _bundle(100)),
    "small data on one line": ("a.json", json.dumps([{"id": n} for n in range(5_000)])),
    "records": ("a.jsonl", "\n".join(json.dumps({"t": "word " * 1_500}) for _ in range(20))),
    "large data in lines": ("a.json", json.dumps([{"id": n} for n in range(9_000)], indent=1)),
    "manifest with digests": (
        "a.yaml",
        "".join(
            f"- name: service-{n}\n  replicas: 3\n  owner: payments\n  image: registry/x\n"
            f"  command: [serve, --port, '{n}']\n  limits: {{cpu: 500m, memory: 1Gi}}\n"
            f"  description: What the customers of the service number {n} are charged for\n"
            + (f"  digest: sha256:{h}\n" if n % 2 else "")
            for n, h in enumerate(_hashes("sha256"))
        ),
    ),
    "requirements with hashes": (
        "requirements.txt",
        "".join(f"a{n}==1 --hash=sha256:{h}\n" for n, h in enumerate(_hashes("sha256"))),
    ),
}


@pytest.mark.parametrize("case", WRITTEN_BY_A_PROGRAM)
def test_what_a_program_wrote_is_known(case: str) -> None:
    path, text, shape = WRITTEN_BY_A_PROGRAM[case]
    assert shape_of(path, text.encode()) == shape


@pytest.mark.parametrize("case", WRITTEN_BY_PEOPLE)
def test_what_people_wrote_looks_like_no_program(case: str) -> None:
    path, text = WRITTEN_BY_PEOPLE[case]
    assert shape_of(path, text.encode()) == ""
