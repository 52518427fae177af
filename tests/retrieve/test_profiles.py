from quipu.index.columns import prefix_hash, unpack
from quipu.kinds.files.code import code_terms
from quipu.profiles import profile
from quipu.records.record import Chunk


def _chunk(text: str, *, title: str = "", kind: str = "prose", symbol: str | None = None) -> Chunk:
    return Chunk(
        chunk_id="ch_" + "0" * 24,
        episode_id="ep_x",
        document_id="en_x",
        profile=kind,
        position=0,
        text=text,
        start_line=1,
        end_line=1,
        title=title,
        symbol=symbol,
    )


def test_columns_hold_words_and_names_where_they_stand() -> None:
    text = "She was born in Rome and sang."
    columns = unpack(profile("prose").index_chunk(_chunk(text)).columns)
    assert columns.keys == ("rome",)
    assert text[columns.starts[0] : columns.ends[0]] == "Rome"
    assert prefix_hash("rome") in columns.hashes.tolist()
    assert columns.positions.tolist() == [text.index(w) for w in ("born", "Rome", "sang")]


def test_code_weighs_name_documentation_and_parameters() -> None:
    terms = code_terms('def read_lines(path):\n    """Return rows."""\n    return split(path)\n')
    assert terms["read"] == 5
    assert terms["row"] == 3
    assert terms["path"] == 3  # twice as a parameter and once where it is used
    assert terms["split"] == 1
