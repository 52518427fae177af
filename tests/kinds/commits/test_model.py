"""What a message and a path say, rule by rule."""

import pytest
from tests.rows import rows

from quipu.kinds.commits.model import (
    citations_of,
    file_terms,
    message_terms,
    words_of,
)

HASH = "d0dea8f8699224ac1b6888bf6da7cfc71de213ca"


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        (f"This reverts commit {HASH}.", "REVERTS"),
        (f"Partly revert {HASH[:9]}", "REVERTS"),
        (f"Fixes: {HASH[:12]} (pool: keep idle ones)", "FIXES"),
        (f"A regression introduced by {HASH[:10]}", "FIXES"),
        (f"It is broken since\n{HASH}", "FIXES"),
        (f"Caused by commit {HASH[:8]}", "FIXES"),
        (f"Follow-up to {HASH[:10]}", "FOLLOWS_UP"),
        (f"Followup to commit {HASH[:10]}", "FOLLOWS_UP"),
        (f"amends {HASH[:10]}", "FOLLOWS_UP"),
        (f"See also {HASH[:10]}", "REFERENCES"),
        (f"Mend a bug. See {HASH[:10]}", "REFERENCES"),
    ],
)
def test_the_words_before_a_hash_say_what_it_is_cited_for(said: str, type_: str) -> None:
    (tie,) = citations_of(f"title\n\n{said}")
    assert tie.type == type_
    assert HASH.startswith(tie.hash)


@pytest.mark.parametrize(
    "said",
    rows(__file__, "what_only_looks_like_a_hash_is_none"),
)
def test_what_only_looks_like_a_hash_is_none(said: str) -> None:
    assert citations_of(said) == []


def test_words_leave_out_trailers_links_hashes_and_numbers() -> None:
    message = (
        f"pool: mend a leak (#123)\n\nBroken by {HASH[:9]}, see https://x.org/y\n\n"
        "Signed-off-by: Bo <b@x.org>\nCloses #12\nChange-Id: I12\n"
    )
    words = words_of(message)
    assert "mend a leak" in words
    assert not [w for w in ("123", HASH[:9], "https", "Signed", "Closes", "Change") if w in words]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("curl_easy_setopt fails", ["=curl_easy_setopt", "curl", "easi", "setopt", "fail"]),
        ("the ThreadPool", ["=threadpool", "thread", "pool"]),
        ("http2 and utf8", ["=http2", "http", "2", "=utf8", "utf", "8"]),
        ("Retries, retried; retry!", ["retri", "retri", "retri"]),
        ("and of the", []),
        ("", []),
    ],
)
def test_an_identifier_is_kept_whole_beside_its_parts(text: str, terms: list[str]) -> None:
    assert message_terms(text) == terms


def test_a_path_is_found_by_its_folders_its_parts_and_its_name() -> None:
    assert file_terms(["lib/vtls/openssl_x.c"]) == [
        "/lib",
        "lib",
        "/vtls",
        "vtls",
        "/openssl_x.c",
        "openssl",
        "x",
        "c",
        "=openssl_x",
    ]
    assert file_terms([".gitignore"])[-1] == "=.gitignore"
    assert file_terms([]) == file_terms([""]) == []
