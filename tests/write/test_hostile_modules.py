"""The processes that read files import nothing from the folder that they are started in."""

from pathlib import Path

import pytest

from quipu.write.workers import Workers


def test_a_module_of_the_folder_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sprung = tmp_path / "sprung"
    for name in ("importlib", "json", "pickle", "msgspec", "numpy", "quipu"):
        text = f"open({str(sprung)!r}, 'w').close()\nraise SystemExit(3)\n"
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ":.")
    with Workers(len, 1) as workers:
        assert [result for _, result in workers.map([["a"], ["bcd"]])] == [1, 3]
    assert not sprung.exists()
