"""What a file is for, told by its path."""

import pytest

from quipu.records.role import role_of


@pytest.mark.parametrize(
    ("path", "code", "role"),
    [
        ("src/app/main.py", True, "source"),
        ("README.md", False, "documentation"),
        ("docs/guide.rst", False, "documentation"),
        ("MAINTAINERS", False, "documentation"),
        ("CHANGES.rst", False, "changelog"),
        ("docs/changelog.md", False, "changelog"),
        ("History.md", False, "changelog"),
        ("src/changes.py", True, "source"),
        ("pyproject.toml", False, "manifest"),
        ("web/package.json", False, "manifest"),
        ("LICENSE.txt", False, "licence"),
        ("tests/test_app.py", True, "test"),
        ("command_test.go", True, "test"),
        ("src/app.spec.ts", True, "test"),
        ("src/AppTest.java", True, "test"),
        ("src/latest.py", True, "source"),
        ("examples/web/index.js", True, "example"),
        ("tests/fixtures/a.md", False, "fixture"),
        ("vendor/lib/x.go", True, "vendored"),
        ("static/jquery.min.js", True, "generated"),
        ("docs/_static/searchindex.js", True, "generated"),
        ("uv.lock", False, "generated"),
        ("manual:note", False, "other"),
    ],
)
def test_a_path_tells_the_role(path: str, code: bool, role: str) -> None:
    assert role_of(path, code=code) == role
