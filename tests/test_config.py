"""The configuration: layers, types, unknown keys, and the list that the docs are made from."""

from pathlib import Path

import pytest
from tests.rows import rows

from quipu import config
from quipu.errors import InvalidConfig


def load(folder: Path, **environ: str) -> config.Config:
    return config.load(start=folder, environ=environ)


def test_without_any_file_every_default_holds(tmp_path: Path) -> None:
    assert load(tmp_path) == config.Config()


def test_the_nearest_file_upward_is_read(tmp_path: Path) -> None:
    (tmp_path / "quipu.toml").write_text("[search]\nlimit = 3\n")
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert load(tmp_path / "a" / "b").search.limit == 3
    (tmp_path / "a" / "quipu.toml").write_text("[search]\nlimit = 4\n")
    assert load(tmp_path / "a" / "b").search.limit == 4


def test_environment_wins_over_env_file_over_toml(tmp_path: Path) -> None:
    (tmp_path / "quipu.toml").write_text('[search]\nlimit = 3\nmode = "local"\n')
    (tmp_path / ".env").write_text(
        "# ours\nexport QUIPU_SEARCH_LIMIT='4'\nOTHER=1\nQUIPU_SEARCH_MODE=documents # why\n"
    )
    assert load(tmp_path).search.limit == 4
    assert load(tmp_path).search.mode == "documents"
    assert load(tmp_path, QUIPU_SEARCH_LIMIT="5").search.limit == 5


@pytest.mark.parametrize(
    ("variable", "text", "read"),
    [
        ("QUIPU_INDEX_INCLUDE", "*.py, docs/", ("*.py", "docs/")),
        ("QUIPU_INDEX_INCLUDE", "", ()),
        ("QUIPU_INDEX_STALE_HOURS", "1.5", 1.5),
        ("QUIPU_ANSWER_ASSERT_ABOVE", "0.5", 0.5),
        ("QUIPU_EMBED_MODEL", "none", "none"),
        ("QUIPU_STORE_URL", "sqlite:///x y.db", "sqlite:///x y.db"),
    ],
)
def test_variables_are_read_by_type(tmp_path: Path, variable: str, text: str, read: object) -> None:
    key = next(s.key for s in config.settings() if s.environment == variable)
    section, _, name = key.partition(".")
    assert getattr(getattr(load(tmp_path, **{variable: text}), section), name) == read


@pytest.mark.parametrize(
    ("toml", "said"),
    rows(__file__, "a_mistake_in_the_file_names_the_file_and_the_key"),
)
def test_a_mistake_in_the_file_names_the_file_and_the_key(
    tmp_path: Path, toml: str, said: str
) -> None:
    (tmp_path / "quipu.toml").write_text(toml)
    with pytest.raises(InvalidConfig) as caught:
        load(tmp_path)
    assert said in str(caught.value)
    assert str(tmp_path / "quipu.toml") in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("QUIPU_SEARCH_LIMIT", "many", "'many'"),
        ("QUIPU_SEARCH_LIMIT", "1001", "'1001'"),
    ],
)
def test_a_mistake_in_the_environment_is_named(
    tmp_path: Path, variable: str, text: str, said: str
) -> None:
    with pytest.raises(InvalidConfig) as caught:
        load(tmp_path, **{variable: text})
    assert said in str(caught.value)
    assert "environment" in str(caught.value)


def test_an_unknown_variable_is_named_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_text("QUIPU_SECRET_OF_ANOTHER=x\n")
    loaded = load(tmp_path, QUIPU_SEARCH_LIMT="3", QUIPU_HOME="here", QUIPU_SEARCH_LIMIT="4")
    assert loaded.search.limit == 4
    said = [record.getMessage() for record in caplog.records]
    assert [line.partition(" is no setting")[0].rpartition(" ")[2] for line in said] == [
        "'QUIPU_SECRET_OF_ANOTHER'",
        "'QUIPU_HOME'",
        "'QUIPU_SEARCH_LIMT'",
    ]
    assert said[-1] == (
        "the environment: 'QUIPU_SEARCH_LIMT' is no setting and does nothing; did you mean "
        "'QUIPU_SEARCH_LIMIT'?"
    )
    assert said[1].endswith("does nothing")


def test_every_setting_is_documented_and_can_be_set() -> None:
    listed = list(config.settings())
    assert len({s.key for s in listed}) == len(listed) > 10
    for setting in listed:
        assert setting.doc.endswith((".", "`)."))
        assert setting.environment == "QUIPU_" + setting.key.replace(".", "_").upper()
