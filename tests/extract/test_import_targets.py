"""Imports that name a package of the tree lead to its files; what is ambiguous leads nowhere."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

Extract = Callable[[Mapping[str, str]], Any]

TREES: dict[str, tuple[dict[str, str], set[tuple[str, str, str]]]] = {
    "go package of the module": (
        {
            "srv/go.mod": "module example.org/srv\n",
            "srv/main.go": 'package main\nimport (\n\t"example.org/srv/in/store"\n\t"fmt"\n)\n'
            "func main() { store.OpenAll(); fmt.Println() }\n",
            "srv/in/store/a.go": "package store\nfunc OpenAll() {}\n",
            "srv/in/store/b.go": "package store\nfunc Close() {}\n",
            "srv/in/store/a_test.go": "package store\nfunc TestA() {}\n",
            "srv/in/store/deep/c.go": "package deep\n",
        },
        {
            ("srv/main.go", "IMPORTS", "srv/in/store/a.go"),
            ("srv/main.go", "IMPORTS", "srv/in/store/b.go"),
            ("srv/main.go:main", "REFERS_TO", "srv/in/store/a.go:OpenAll"),
        },
    ),
    "go module inside of another": (
        {
            "go.mod": "module x.org/a\n",
            "b/go.mod": "module x.org/a/b\n",
            "b/c/c.go": "package c\n",
            "m.go": 'package m\nimport "x.org/a/b/c"\n',
        },
        {("m.go", "IMPORTS", "b/c/c.go")},
    ),
    "go package under another name": (
        {
            "go.mod": "module x.org/a\n",
            "yaml.v3/y.go": "package yaml\nfunc Parse() {}\n",
            "m.go": 'package m\nimport "x.org/a/yaml.v3"\nfunc F() { yaml.Parse() }\n',
        },
        {("m.go", "IMPORTS", "yaml.v3/y.go"), ("m.go:F", "REFERS_TO", "yaml.v3/y.go:Parse")},
    ),
    "go without a module": (
        {"m.go": 'package m\nimport "x.org/a/b/c"\n', "c/c.go": "package c\n"},
        {("m.go", "IMPORTS", "x.org/a/b")},
    ),
    "c# namespace": (
        {
            "a/P.cs": "using Acme.Store;\nusing System.Text;\n"
            "class P { void M() { new Shelf(); } }\n",
            "b/Shelf.cs": "namespace Acme.Store;\npublic class Shelf {}\n",
            "b/Box.cs": "namespace Acme { namespace Store { public class Box {} } }\n",
            "c/Other.cs": "namespace Acme;\npublic class Other {}\n",
        },
        {
            ("a/P.cs", "IMPORTS", "b/Shelf.cs"),
            ("a/P.cs", "IMPORTS", "b/Box.cs"),
            ("a/P.cs:P.M", "REFERS_TO", "b/Shelf.cs:Shelf"),
        },
    ),
    "c# type": (
        {
            "P.cs": "using S = Acme.Shelf;\nclass P { void M() { S.Open(); } }\n",
            "x/y.cs": "namespace Acme { public class Shelf { public static void Open() {} } }\n",
        },
        {("P.cs", "IMPORTS", "x/y.cs"), ("P.cs:P.M", "REFERS_TO", "x/y.cs:Acme.Shelf.Open")},
    ),
    "java wildcard and declared package": (
        {
            "src/a/A.java": "package a;\nimport b.*;\nclass A {}\n",
            "gen/B1.java": "package b;\nclass B1 {}\n",
            "gen/b2.java": "package b;\nclass B2 {}\n",
            "src/c/C.java": "package c;\nimport b.B2;\nclass C {}\n",
        },
        {
            ("src/a/A.java", "IMPORTS", "gen/B1.java"),
            ("src/a/A.java", "IMPORTS", "gen/b2.java"),
            ("src/c/C.java", "IMPORTS", "gen/b2.java"),
        },
    ),
    "php namespace": (
        {
            "a.php": "<?php\nuse App\\{Shelf, Box as Crate};\nfunction f() { new Crate(); }\n",
            "lib/one.php": "<?php\nnamespace App;\nclass Shelf {}\nclass Box {}\n",
        },
        {("a.php", "IMPORTS", "lib/one.php"), ("a.php:f", "REFERS_TO", "lib/one.php:Box")},
    ),
    "rust modules in braces": (
        {
            "Cargo.toml": "[package]\nname='k'\n",
            "src/a/b.rs": "pub fn going() {}\n",
            "src/a/mod.rs": "pub mod b;\npub fn stop_it() {}\n",
            "src/main.rs": "use crate::a::{b, stop_it as halt};\n"
            "fn main() { b::going(); halt(); }\n",
        },
        {
            ("src/main.rs", "IMPORTS", "src/a/b.rs"),
            ("src/main.rs", "IMPORTS", "src/a/mod.rs"),
            ("src/main.rs:main", "REFERS_TO", "src/a/b.rs:going"),
            ("src/main.rs:main", "REFERS_TO", "src/a/mod.rs:stop_it"),
        },
    ),
    "python relative in a folder with a dot": (
        {
            "v1.2/p/__init__.py": "",
            "v1.2/p/a.py": "from . import b\nfrom .b import work_on\n",
            "v1.2/p/b.py": "def work_on():\n    pass\n",
            "p/b.py": "def work_on():\n    pass\n",
        },
        {
            ("v1.2/p/a.py", "IMPORTS", "v1.2/p/__init__.py"),
            ("v1.2/p/a.py", "IMPORTS", "v1.2/p/b.py"),
        },
    ),
    "python relative above the root": (
        {"p/a.py": "from ... import b\nfrom ...b import x\n", "b.py": "x = 1\n"},
        set(),
    ),
    "python relative at the root": (
        {"a.py": "from . import b\nfrom .b import x_y\n", "b.py": "x_y = 1\n", "__init__.py": ""},
        {("a.py", "IMPORTS", "b.py"), ("a.py", "IMPORTS", "__init__.py")},
    ),
}


@pytest.mark.parametrize("case", sorted(TREES))
def test_import_targets(case: str, extract: Extract) -> None:
    files, expected = TREES[case]
    assert extract(files).triples("IMPORTS", "REFERS_TO") == expected


def test_a_link_that_leads_nowhere_is_tied_to_nothing(extract: Extract) -> None:
    files = {
        "docs/x/a.md": "[b](b.md) [up](../b.md) [deep](sub/b.md) [named](Setup) [c](/c.md)\n",
        "b.md": "# B\n",
        "guide/setup.md": "# Setup\n",
        "site/c.md": "# C\n",
    }
    asserted = extract(files)
    assert asserted.triples("LINKS_TO") == set()
    assert [u.target for u in asserted.unresolved] == [
        "../b.md",
        "/c.md",
        "Setup",
        "b.md",
        "sub/b.md",
    ]


def test_front_matter_may_name_a_path_from_the_root_but_not_one_elsewhere(extract: Extract) -> None:
    files = {
        "docs/a.md": "---\nrelates_to: [b/c.md, ../gone.md, Title of D, gone.md]\n---\nx\n",
        "b/c.md": "# C\n",
        "d.md": "# Title of D\n",
        "old/gone.md": "# G\n",
    }
    asserted = extract(files)
    assert asserted.triples("RELATES_TO") == {
        ("docs/a.md", "RELATES_TO", "b/c.md"),
        ("docs/a.md", "RELATES_TO", "d.md"),
    }
    assert [u.target for u in asserted.unresolved] == ["../gone.md", "gone.md"]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_name_of_two_things_stays_unlinked_in_any_order(
    backwards: bool, extract: Extract
) -> None:
    files = {
        "policies/p1.md": "---\ntitle: Privacy\n---\nx\n",
        "policies/p2.md": "---\ntitle: Privacy\n---\nx\n",
        "adr/1.md": "---\nid: ADR-1\ntitle: One\n---\nx\n",
        "adr/2.md": "---\nid: ADR-1\ntitle: Two\n---\nx\n",
        "a.md": "---\nimplements: Privacy\ndecided_by: ADR-1\n---\nx\n",
        "b.md": "---\ndecided_by: Two\n---\nx\n",
    }
    asserted = extract(dict(reversed(files.items())) if backwards else files)
    assert asserted.triples("IMPLEMENTS", "DECIDED_BY") == {("b.md", "DECIDED_BY", "Two")}
    assert sorted(u.target for u in asserted.unresolved) == ["ADR-1", "Privacy"]
