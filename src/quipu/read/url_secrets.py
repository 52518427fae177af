"""Secrets in the queries of URLs: what a parameter is called says it, however short its value."""

from quipu.patterns import late

__all__ = ["without_url_secrets"]

_VALUE = late(
    r"(?i)(?P<begin>[a-z][a-z0-9+.-]{0,30}://[^\s\"'<>]*?[?&;#])(?P<name>[\w.-]{0,40}?(?:token|secret|passw(?:or)?d"
    r"|passwd|pwd|(?:api|access|auth|private|signing|shared)[_-]?key|signature|sig|auth|credential"
    r"|session(?:[_-]?id)?|sid|jwt|otp))=(?!\[redacted:)(?P<secret>[^&;#\s\"'<>]+)"
)


def without_url_secrets(text: str) -> str:
    """`text` with the values of such parameters taken out of the URLs in it."""
    if "://" not in text:
        return text
    while True:  # a match takes the whole URL before it, so there is one a URL at a time
        again = _VALUE.sub(r"\g<begin>\g<name>=[redacted:url-secret]", text)
        if again == text:
            return text
        text = again
