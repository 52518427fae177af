"""What code is told from outside, as each library writes it."""

import pytest

from quipu.read.code import read_code

SETTINGS: dict[str, tuple[str, str, str]] = {
    'import os\nX = os.environ["PORT"]\n': ("python", "PORT", ""),
    'import os\nX = os.environ.get("PORT") or "80"\n': ("python", "PORT", "80"),
    'def f(app):\n    return app.config["PORT"]\n': ("python", "PORT", ""),
    "const { port } = f(process.env.PORT || 3000);\n": ("javascript", "PORT", "3000"),
    'package p\nfunc f() { viper.SetDefault("port", 80) }\n': ("go", "port", "80"),
    'class A { @Value("${server.port:80}") int port; }\n': ("java", "server.port", "80"),
    'class A { int f() { return Integer.getInteger("port", 80); } }\n': ("java", "port", "80"),
    'class A { string F() => Configuration["port"] ?? "80"; }\n': ("csharp", "port", "80"),
    "<?php\n$a = ini_get('port');\n": ("php", "port", ""),
    "PORT_USED=${PORT:-80}\n": ("bash", "PORT", "80"),
    'fn f() { let p = option_env!("PORT"); }\n': ("rust", "PORT", ""),
    'int f(void) { return config_get_int("port"); }\n': ("c", "port", ""),
    'void f() { settings.value("port"); }\n': ("cpp", "port", ""),
}


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
