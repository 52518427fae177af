"""Whom and what a pronoun means: by gender, by what was said right before, and by what is asked."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.statements import Said, Spoken, Statement, read_statements


def _read(
    encoder: MiniLM, text: str, *, speaker: str = "", spoken: Spoken | None = None
) -> list[Statement]:
    return read_statements(
        text,
        speaker=speaker,
        observed_at="2026-04-05T10:00:00.000Z",
        layers=encoder.read,
        spoken=spoken,
    )


def _said(found: list[Statement]) -> list[tuple[str, str, str]]:
    return [(each.subject, each.predicate, each.object) for each in found]


GENDERS = [
    ("Otto retired in March. Marta Ruiz, she's my dentist now.", "Marta Ruiz", "dentist"),
    ("My sister moved. Per called, he was glad. She lives in Bergen.", "user's sister", "Bergen"),
    ("Otto sold his boat. Ms Lind came by. He lives in Bergen.", "Otto", "Bergen"),
    ("My plumber is Rhona Teal. She lives in Bergen.", "Rhona Teal", "Bergen"),
    ("My plumber is called Teal. She lives in Bergen.", "Teal", "Bergen"),
    ("Teal, who did the roof last year. She lives in Bergen.", "Teal", "Bergen"),
    ("Mam had her appointment. She lives in Bergen.", "Mam", "Bergen"),
    ("Otto called. I spoke to the dentist. She lives in Bergen.", "dentist", "Bergen"),
    ("I met Otto. He lives in Bergen.", "Otto", "Bergen"),
]


@pytest.mark.parametrize(("text", "whose", "what"), GENDERS)
def test_a_pronoun_means_somebody_it_is_used_of(
    encoder: MiniLM, text: str, whose: str, what: str
) -> None:
    found = _said(_read(encoder, text))
    assert any({whose, what} <= {*each} for each in found), found


NOBODY = [
    "My brother called. She lives in Bergen.",
    "Mr Otto retired. She lives in Bergen.",
    "Otto sold his boat. She lives in Bergen.",
    "Lisa broke up with Tom. He lives in Bergen.",
]


@pytest.mark.parametrize("text", NOBODY)
def test_a_pronoun_of_another_gender_means_nobody_known(encoder: MiniLM, text: str) -> None:
    assert not any("Bergen" in each for each in _said(_read(encoder, text)))


THINGS = [
    ("Oh, and the rent! It's 1850 a month.", ("rent", "value", "1850")),
    ("Bo sold the piano. It weighs 210 kilos.", ("piano", "weighs", "210 kilos")),
    ("I raised the retry limit. It stands at 7.", ("retry limit", "stands at", "7")),
    ("How long is the lease? It ends on 4 May.", ("lease", "ends on", "4 May")),
    ("Rate limit. It's 100 requests a minute.", ("rate limit", "value", "100 requests a minute")),
    ("I set the pool size to 20. It's at 50 again.", ("pool size", "value", "50")),
    ("Audit wanted the log level at 5. It stays at 10.", ("log level", "stays at", "10")),
    ("She gave back the spare key. Fr Lacey has it now.", ("spare key", "is held by", "Fr Lacey")),
]


@pytest.mark.parametrize(("text", "wanted"), THINGS)
def test_it_is_what_was_spoken_of_and_never_somebody(
    encoder: MiniLM, text: str, wanted: tuple[str, str, str]
) -> None:
    assert wanted in _said(_read(encoder, text))


def test_what_is_got_is_it_though_it_has_no_name(encoder: MiniLM) -> None:
    found = _read(encoder, "The food was great. We bought a boat. It's called Svala.")
    assert not any("Svala" in each for each in _said(found))


def test_it_is_what_is_asked_about_by_whomever(encoder: MiniLM) -> None:
    for machine in (False, True):
        spoken = Spoken()
        _read(encoder, "The gate is painted green.", speaker="Ann", spoken=spoken)
        spoken.hear(Said("Bo", "Does the roofing date still stand?", machine=machine))
        found = _read(encoder, "No. It moves to 7 April.", speaker="Ann", spoken=spoken)
        assert ("roofing date", "value", "7 April") in _said(found)


def test_whoever_is_asked_about_is_meant(encoder: MiniLM) -> None:
    spoken = Spoken()
    _read(encoder, "Pieters sold his practice.", speaker="Ann", spoken=spoken)
    spoken.hear(Said("assistant", "And how is Sander settling in?", machine=True))
    (found,) = _read(encoder, "Good! He works on Mondays.", speaker="Ann", spoken=spoken)
    assert found.subject == "Sander"


def test_who_was_spoken_of_long_before_is_not_meant(encoder: MiniLM) -> None:
    spoken = Spoken()
    _read(encoder, "Pieters sold his practice.", speaker="Ann", spoken=spoken)
    for _ in range(4):
        spoken.hear(Said("Bo", "Right then."))
    assert _read(encoder, "He works on Mondays.", speaker="Ann", spoken=spoken) == []


def test_what_was_said_before_is_read_only_where_something_refers_to_it(encoder: MiniLM) -> None:
    asked: list[str] = []

    def earlier() -> list[Said]:
        asked.append("earlier")
        return [Said("Ann", "My sister Saga teaches chemistry.")]

    long = "The gate at the far end of the lower meadow is kept open on all Sundays of the summer, "
    long += "and it is painted green every other spring."
    _read(encoder, long, speaker="Ann", spoken=Spoken(earlier))
    assert asked == []
    found = _read(encoder, "Her husband is called Pelle.", speaker="Ann", spoken=Spoken(earlier))
    assert _said(found) == [("Saga", "husband", "Pelle")]
    assert asked == ["earlier"]


def test_who_is_called_upon_belongs_to_no_value(encoder: MiniLM) -> None:
    spoken = Spoken()
    _read(encoder, "So where is everybody?", speaker="Goran", spoken=spoken)
    (found,) = _read(encoder, "I live in Porto, Goran.", speaker="Mateus", spoken=spoken)
    assert found.object == "Porto"


LEFT_OUT = [
    (
        "I've joined the choir. Thursday evenings, altos.",
        ("choir", "value", "Thursday evenings"),
    ),
    ("My cat is Fflos. Four years old in May.", ("Fflos", "age", "Four years")),
    ("I bought the house. Built in 1842.", ("house", "is built in", "1842")),
    ("Otto called. Lives in Rome.", ("Otto", "lives in", "Rome")),
    ("The report is done. Needs two approvals.", ("report", "requires", "two approvals")),
    ("They raised our fees again. 1.9% now.", ("fees", "value", "1.9%")),
    ("I changed the retry limit. 5 from today.", ("retry limit", "value", "5")),
]


@pytest.mark.parametrize(("text", "wanted"), LEFT_OUT)
def test_what_a_sentence_leaves_out_is_what_the_one_before_is_about(
    encoder: MiniLM, text: str, wanted: tuple[str, str, str]
) -> None:
    assert wanted in _said(_read(encoder, text))


@pytest.mark.parametrize(
    "text",
    [
        "Sounds good. Works for me.",
        "Thanks for the plan. Looks fine.",
        "I called Otto. 40 now.",
        "Heads up, news. 3 now.",
        "The report is done. Works for you?",
        "Lives in Rome.",
    ],
)
def test_a_remark_about_nothing_known_is_not_read(encoder: MiniLM, text: str) -> None:
    found = [each for each in _said(_read(encoder, text)) if each != ("report", "status", "done")]
    assert found == []
