"""Secrets go, code stays, and lines keep their numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rows import rows

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
    rows(__file__, "a_secret_value_goes"),
)
def test_a_secret_value_goes(written: str, left: str) -> None:
    assert redact(written)[0].startswith(left)


@pytest.mark.parametrize(
    "code",
    rows(__file__, "code_and_placeholders_stay"),
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
