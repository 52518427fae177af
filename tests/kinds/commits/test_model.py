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
    ("said", "type_"), rows(__file__, "the_words_before_a_hash_say_what_it_is_cited_for")
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
    ("text", "terms"), rows(__file__, "an_identifier_is_kept_whole_beside_its_parts")
)
def test_an_identifier_is_kept_whole_beside_its_parts(text: str, terms: tuple[str, ...]) -> None:
    assert tuple(message_terms(text)) == terms


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
