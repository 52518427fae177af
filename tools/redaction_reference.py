"""`docs/reference/redaction.md`, made from the files of rules.

`python -m tools.redaction_reference > docs/reference/redaction.md` brings it up to date.
"""

import click

from quipu.read.ignore import credential_files
from quipu.read.secret_rules import Name, Rule, secret_names, secret_rules
from quipu.read.secret_values import CHECKS

__all__ = ["reference"]

_HEAD = """\
# Redaction

Made from `src/quipu/read/rules/` by `python -m tools.redaction_reference`; a test
compares.

A secret is taken out of whatever is given before anything is stored, embedded or logged as a job:
text, titles, references, groups, properties and their keys, names of entities and relations, facts,
speakers, incidents, paths and authors of commits, addresses of pages. What goes becomes
`[redacted:<kind>]`; lines keep their numbers, and redacting twice changes nothing. `quipu index`
counts what was taken out, by kind, and never shows it.

- The **name of a file or folder** that holds a secret is kept with the mark in its place, and the
  run says so; of two names that would be alike the second has a number in its mark. Rename the
  file: a citation of it does not open.
- A **namespace** that holds a secret is refused. A **session id** that holds one is kept with the
  mark, with a warning: sessions whose ids differ in the secret alone become one.
- **Messages of errors** on the command line and over MCP are redacted too.

What was stored with the rules of an earlier version is put right by `quipu rescan`: texts, titles,
properties and facts are redacted where they lie, history included, their vectors are dropped and
jobs that wait are redacted; nothing of what went stays in a file below `.quipu`. Exports, backups
and the files that were read are yours to put right.

Redaction is by rule. It misses a secret that looks like an ordinary word in an ordinary place
(`the key is swordfish`, a password of letters only in code), one of a format that no rule knows and
no name gives away, and one in a picture. Do not index what must not be read.
"""
_FILES = """
## Files that are left out

Files that exist to hold credentials are not read, and `quipu index` says which and why
(`credentials` in the JSON report). What was stored of one by an earlier version is retired at the
next run; `quipu forget` erases it. `quipu index FILE` reads the one that is named (until the next
run over its folder), `[index] credentials` (patterns as in `.gitignore`) those it matches; both
are redacted as everything is. Patterns that begin with `!` stay in.

"""
_RULES = """
## Rules

Each has keywords: only where one stands is its pattern tried, so a rule costs a text nothing where
it does not apply. Patterns are bounded, and the time for a text is linear. Of two rules that match
the same place the first names the mark. A pattern is what `src/quipu/read/rules/secrets.toml` says;
behind what it is of stand its mark and what the value must be.

"""
_MANIFESTS = """- `secret`: Kubernetes: every value under `data` and `stringData` of a Secret, in \
YAML or JSON, alone, in a List or inside of a larger text
"""
_NAMES = """
## Names whose values are secret

A name ends in one of these words, whatever the case (`DB_PASSWORD`, `dbPassword`, `db-password`,
`spring.datasource.password`); one that goes on (`password_file`, `tokenCount`, `secretName`) says
nothing. Its value is looked for wherever a format puts it: after a sign (`=`, `:`, `:=`, `=>`,
`||`, `:-`), as the argument after it, in a field beside the one that holds the name (`name: X`,
`value: v`) or inside of what the name opens, in the block or the list below it, under a heading, in
its column or the next cell of a table (Markdown, CSV, what psql prints), and in what a sentence
says (`the password for staging is v`). It goes where it looks like one: a password has a digit or
a sign and is no reference, placeholder or code; the values of the others are random.

"""


def reference() -> str:
    """The whole page."""
    files = "".join(
        f"- {row.of}: {', '.join(f'`{name}`' for name in row.names)}\n"
        for row in credential_files()
    )
    rules = "".join(map(_row, secret_rules()))
    checks = "".join(f"- `{name}`: {said}\n" for name, said in CHECKS.items())
    names = "".join(map(_names_row, secret_names()))
    return (
        f"{_HEAD}{_FILES}{files}{_RULES}{rules}{_MANIFESTS}{_NAMES}{names}"
        f"\n## What a value must be\n\n{checks}"
    )


def _row(rule: Rule) -> str:
    of = rule.of.replace("<", "&lt;").replace(": ", ", ")
    return f"- {of}: `{rule.kind}` (`{rule.check}`)\n"


def _names_row(name: Name) -> str:
    return f"- `{name.kind}`, {name.of}: {', '.join(f'`{word}`' for word in name.words)}\n"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
