"""The page of scores prints the table of weights; this keeps the two equal."""

import re
from pathlib import Path

import pytest

from quipu.profiles import profile
from quipu.records.weights import BOUNDS, CODE, FILES, PROSE

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "scores.md").read_text("utf-8")
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in PAGE.splitlines()
    if line.startswith("| ") and (cells := [cell.strip() for cell in line.strip("|").split("|")])
}


@pytest.mark.parametrize(
    "part", ["similarity", "lexical", "name", "graph_proximity", "recency", "salience"]
)
def test_each_part_has_the_weights_of_the_code(part: str) -> None:
    match = re.search(rf"^\| `{part}` \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert match is not None
    assert float(match[1]) == pytest.approx(getattr(PROSE, part))
    assert float(match[2]) == pytest.approx(getattr(CODE, part))


@pytest.mark.parametrize("part", ["time", "document", "length"])
def test_what_a_time_takes_off_is_that_of_the_code(part: str) -> None:
    assert float(ROWS[f"{part}` (taken off)"][0]) == getattr(PROSE, part)


@pytest.mark.parametrize(
    "feature",
    [
        "carried",
        "share",
        "rarity",
        "near_source",
        "closer",
        "covered",
        "near_target",
        "window_gain",
    ],
)
def test_each_feature_of_the_walk_has_the_weight_of_the_code(feature: str) -> None:
    assert float(ROWS[feature][0]) == getattr(PROSE, feature)


@pytest.mark.parametrize(("name", "weights"), [("prose", PROSE), ("code", CODE)])
def test_the_curves_are_those_of_the_code(name: str, weights: object) -> None:
    curve = PROSE.calibration if weights is PROSE else CODE.calibration
    assert [float(cell) for cell in ROWS[name]] == [curve.slope, curve.cosine, curve.offset]


@pytest.mark.parametrize("name", ["code", "conversation", "prose"])
def test_the_curves_of_words_alone_are_those_of_the_code(name: str) -> None:
    curve = profile(name).words_alone
    assert curve
    assert [float(cell) for cell in ROWS[f"words: {name}"]] == [curve.slope, curve.offset]


def test_bm25_and_bounds_are_those_of_the_code() -> None:
    assert [float(cell) for cell in ROWS["BM25 k1"]] == [PROSE.k1, CODE.k1]
    assert [float(cell) for cell in ROWS["BM25 b"]] == [PROSE.b, CODE.b]
    assert f"(at most {BOUNDS.bridge_reach} do)" in PAGE
    assert f"(at most\n{BOUNDS.title_reach})" in PAGE
    assert f"({PROSE.passage})" in PAGE
    assert f"({PROSE.sentence}, late-chunked" in PAGE


def test_the_fit_of_files_weighs_what_it_does_in_the_code() -> None:
    assert float(ROWS["fit: words"][0]) == FILES.words
    assert float(ROWS["fit: title"][0]) == FILES.title
    roles = {name: float(row[0]) for name, row in ROWS.items() if name.startswith("role: ")}
    for name in ("released", "version", "showing"):
        assert float(ROWS[name][0]) == getattr(FILES, name)
    assert roles == {f"role: {role}": weight for role, weight in FILES.roles.items()}
    assert f"among the {BOUNDS.fitted} best" in PAGE
