"""What code is told from outside, as each library writes it."""

import pytest
from tests.rows import rows

from quipu.read.code import read_code

SETTINGS: dict[str, tuple[str, str, str]] = dict(rows(__file__, "code_settings_settings"))


@pytest.mark.parametrize("code", SETTINGS)
def test_a_setting_is_read_with_its_default(code: str) -> None:
    language, name, default = SETTINGS[code]
    (stated,) = (t for t in read_code(code, language).relations if t.type == "READS_SETTING")
    assert (stated.target, stated.properties.get("default", "")) == (name, default)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", 'import os\nos.environ["PORT"] = "80"\n'),
        ("python", 'def app(environ):\n    return environ.get("wsgi.input")\n'),
        ("python", 'names.get("port")\nsettings = names["port"]\n'),
        ("javascript", "app.options('/path', handle);\nmap.get('port');\n"),
        ("bash", "PORT=80\necho $PORT\n"),
        ("go", 'package p\nfunc f() { fmt.String("port") }\n'),
    ],
)
def test_what_is_set_or_of_something_else_is_not_read_from_outside(
    language: str, code: str
) -> None:
    assert read_code(code, language).relations == ()
