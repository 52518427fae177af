"""What `python -m bench size` counts."""

from bench.size import colliding, constants, importers, lines, of_kinds, rooms

SOURCES = {
    "__init__.py": '"""Names."""\n',
    "text.py": "import re\n",
    "read/__init__.py": "from quipu.read.walk import walk\n",
    "read/walk.py": "from quipu import text\n",
    "serve/table.py": 'PLACE = "quipu.kinds.work.write:add"\nimport quipu.text\n',
    "kinds/work/write.py": "from quipu.read import walk\nfrom quipu.text import fold\n",
}


def test_lines_and_rooms_are_counted() -> None:
    assert lines(SOURCES) == 8
    assert rooms(list(SOURCES)) == {"__init__", "text", "read", "serve", "kinds"}


def test_an_importer_is_counted_once_however_it_imports() -> None:
    found = importers(SOURCES)
    assert found["quipu.text"] == {"quipu.read.walk", "quipu.serve.table", "quipu.kinds.work.write"}
    assert found["quipu.kinds.work.write"] == {"quipu.serve.table"}
    assert found["quipu.read.walk"] == {"quipu.read", "quipu.kinds.work.write"}
    assert found["quipu.serve.table"] == set()


def test_a_name_of_classes_in_two_files_is_counted_once() -> None:
    sources = {"a.py": "class One: ...\n", "b.py": "class One: ...\nclass Two: ...\n"}
    assert colliding(sources) == {"One": ["a.py", "b.py"]}


def test_a_kind_has_the_files_of_its_folder_and_those_whose_names_tell_it() -> None:
    paths = ["kinds/work/model.py", "answer/work_listed.py", "write/workers.py", "kinds/pages/a.py"]
    assert of_kinds(paths)["work"] == ["kinds/work/model.py", "answer/work_listed.py"]
    assert of_kinds([*paths, "files/pages.py"])["pages"] == ["kinds/pages/a.py"]


def test_numbers_expressions_and_sets_of_words_of_modules_are_counted() -> None:
    text = """
__all__ = ["one", "two", "three"]
_MOST, _LEAST = 0.7, -1
_SIZE = 1 << 20
_NAME = "quipu"
_WORD = re.compile(r"a")
_DAYS = frozenset("mon tue wed".split())
_KEYS = {"a": 1, "b": 2, "c": 3}


def inside() -> None:
    local = 5
"""
    assert constants({"a.py": text}) == {"numbers": 3, "expressions": 1, "words": 2, "": 1}
