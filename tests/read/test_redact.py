"""Secrets go, code stays, and lines keep their numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.read import redact

# Put together here so that no scanner takes this file for a leak.
SECRETS = {
    "aws-key": "AKIA" + "IOSFODNN7EXAMPLX"[:16].replace("0", "2"),
    "gcp-key": "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "github-token": "ghp_" + "a1B2" * 9,
    "gitlab-token": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "slack-token": "xoxb-" + "123456789012-abcdefABCDEF",
    "stripe-key": "sk_live_" + "a1B2c3D4e5F6g7H8i9J0k1L2",
    "openai-key": "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2",
    "anthropic-key": "sk-ant-api03-" + "a1B2c3D4e5F6g7H8i9J0k1L2",
    "npm-token": "npm_" + "a1B2" * 9,
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + "a1B2" * 10,
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N",
}


@pytest.mark.parametrize("kind", sorted(SECRETS))
def test_a_known_token_goes_and_is_counted(kind: str) -> None:
    text, counts = redact(f"before {SECRETS[kind]} after\n")
    assert text == f"before [redacted:{kind}] after\n"
    assert counts == {kind: 1}


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ('password = "hunter2!x9Q"', 'password = "[redacted:password]"'),
        ('passwd: str = "Tr0ub4dor&3"', 'passwd: str = "[redacted:password]"'),
        ("DB_PASSWORD=hunter2x9Q!zz", "DB_PASSWORD=[redacted:password]"),
        ('api_key: "9f8a7b6c5d4e3f2a1b0c"', 'api_key: "[redacted:secret]"'),
        ('{"apiKey": "abcDEF1234567890xyz"}', '{"apiKey": "[redacted:secret]"}'),
        ("client_secret=abcdefghij0123456789", "client_secret=[redacted:secret]"),
        ("postgres://user:s3cr3t@host/db", "postgres://user:[redacted:url-password]@host/db"),
        ("Authorization: Bearer ab12cd34ef56ab78cd90", "Authorization: Bearer [redacted:auth"),
        ("curl -u bob:hunter2Pw https://h", "curl -u bob:[redacted:password] https://h"),
        ("curl -sSu 'bob:hunter2Pw' h", "curl -sSu 'bob:[redacted:password]' h"),
        ("curl -L --user=bob:hunter2Pw h", "curl -L --user=bob:[redacted:password] h"),
    ],
)
def test_a_secret_value_goes(written: str, left: str) -> None:
    assert redact(written)[0].startswith(left)


@pytest.mark.parametrize(
    "code",
    [
        "token = get_token()",
        'password = "changeme"',
        'secret = os.environ["SECRET"]',
        "token: str",
        "tokenizer = self.tokenizer2,",
        "def f(tokenizer: apsw.FTS5Tokenizer, text: str)",
        'TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token"',
        'publicKeyToken="1fc8b3b9a1e18e3b"',
        "DEFAULT_TOKEN_TYPE: str\n@staticmethod",
        "Credential: _win32typing.PyCredHandle,",
        "_token_end = r'(?=\\s|#|[)\\]]|$)'",
        "postgres://user:password@host/db",
        "postgres://user:${PGPASSWORD}@host/db",
        "https://example.org:8080/a@b",
        'password: "{{ vault_password }}"',
        "key = value12345678",
        "curl -u user:password https://h",
        "curl -u $USER:$TOKEN https://h",
        "curl -o out https://h:8080/x",
        "curl has -useful notes: see below",
    ],
)
def test_code_and_placeholders_stay(code: str) -> None:
    assert redact(code) == (code, {})


@pytest.mark.parametrize("end", ["\n-----END RSA PRIVATE KEY-----", ""])
def test_a_private_key_goes_whole_or_cut_off_and_keeps_its_lines(end: str) -> None:
    body = "\n".join("MIIEowIBAAKCAQEA" + "ab" * 20 for _ in range(5))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}{end}"
    text, counts = redact(f"a\n{key}\nz")
    assert counts == {"private-key": 1}
    assert "MIIE" not in text
    assert text.count("\n") == key.count("\n") + 2
    assert text.endswith("\nz")


def test_a_private_key_inside_of_another_is_redacted_once() -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    once, _ = redact(f"{begin}{begin}{'Ab3' * 20}{end}{end}")
    assert "Ab3" not in once
    assert redact(once) == (once, {})


PIECES = st.one_of(
    st.sampled_from([*SECRETS.values(), "password = ", "token: ", '"', "'", "://u:", "@h", "\n"]),
    st.sampled_from(["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "api_key=", " "]),
    st.text(max_size=12),
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_redacting_twice_changes_nothing_and_lines_stay(text: str) -> None:
    once, counts = redact(text)
    assert once.count("\n") == text.count("\n")
    assert redact(once) == (once, {})
    assert (once == text) == (not counts)
