"""`status`, `validate`, `export`, `import`, `reindex`, `doctor`, `golden` and `eval`."""

import os
import sqlite3
from pathlib import Path

import apsw
import pytest
from tests.memory.test_rescan import written_by_older_rules

from quipu.embed.weights import find_model
from quipu.errors import QuipuError


@pytest.mark.model
def test_reindex_embeds_everything_in_the_named_model(
    quipu, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        find_model()
    except QuipuError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "minilm")
    report = quipu("reindex", "--json", "--model-version", "all-MiniLM-L6-v2").document
    assert report["embedded"] == quipu("status", "--json").document["counts"]["chunk"]
    assert quipu("status", "--json").document["unembedded"] == 0
    assert quipu("reindex", "--model-version", "other-model").code == 2


def test_doctor_finds_a_well_memory_well(quipu, project: Path) -> None:
    outcome = quipu("doctor", "--json")
    assert outcome.code == 0
    assert outcome.document["ok"] is True
    names = " ".join(check["name"] for check in outcome.document["checks"])
    assert names == (
        "python sqlite hooks configuration model trust permission disk store index vectors"
    )
    assert {check["status"] for check in outcome.document["checks"]} <= {"ok", "warn"}


def test_doctor_finds_a_damaged_database(quipu, project: Path) -> None:
    database = project / ".quipu" / "quipu.db"
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(database.read_bytes())
    data[4096:12288] = b"\xff" * 8192
    database.write_bytes(data)
    outcome = quipu("doctor", "--json")
    assert outcome.code == 1
    broken = [check for check in outcome.document["checks"] if check["status"] == "fail"]
    assert [check["name"] for check in broken] == ["store"]
    assert broken[0]["remedy"] or "quipu" in broken[0]["detail"]


def test_no_damage_is_copied_over_a_good_backup(quipu, project: Path, tmp_path: Path) -> None:
    target = tmp_path / "memory.quipu"
    assert quipu("backup", str(target)).code == 0
    good = target.read_bytes()
    database = project / ".quipu" / "quipu.db"
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(database.read_bytes())
    data[-4096:] = b"\xff" * 4096
    database.write_bytes(data)
    refused = quipu("backup", "--force", str(target))
    assert refused.code == 3
    assert target.read_bytes() == good


def test_an_export_follows_the_umask(quipu, project: Path, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert quipu("export", str(tmp_path / "all.jsonl")).code == 0
    finally:
        os.umask(before)
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o640


def test_doctor_says_what_others_may_read(quipu, project: Path) -> None:
    assert "privacy" not in [c["name"] for c in quipu("doctor", "--json").document["checks"]]
    (project / ".quipu" / "quipu.db").chmod(0o644)
    checks = quipu("doctor", "--json").document["checks"]
    told = next(check for check in checks if check["name"] == "privacy")
    assert told["status"] == "warn"
    assert "quipu.db" in told["detail"]


def test_a_backup_is_made_and_put_back(quipu, project: Path, tmp_path: Path) -> None:
    made = quipu("backup", str(tmp_path / "memory.quipu"), "--json")
    assert made.code == 0
    there = str(tmp_path / "new/.quipu/quipu.db")
    back = quipu("restore", str(tmp_path / "memory.quipu"), "--store", there, "--json")
    assert back.document["counts"] == made.document["counts"]
    again = quipu("restore", str(tmp_path / "memory.quipu"), "--store", there)
    assert again.code == 2
    assert "already" in again.err
    assert quipu("status", "--store", there).code == 0


def test_a_wrong_setting_names_file_and_key(quipu, project: Path) -> None:
    (project / "quipu.toml").write_text("[search]\nlimits = 3\n")
    outcome = quipu("search", "payment", "--json")
    assert outcome.code == 2
    assert outcome.document["error"]["kind"] == "InvalidConfig"
    assert "search.limit" in outcome.err
    assert quipu("doctor").code == 1


def test_doctor_does_not_take_a_wrong_model_for_a_bad_store(
    quipu, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / "model"
    folder.mkdir()
    for name in ("model.safetensors", "pytorch_model.bin", "tokenizer.json", "model.onnx"):
        (folder / name).write_bytes(b"not the weights")
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "minilm")
    monkeypatch.setenv("QUIPU_EMBED_FOLDER", str(folder))
    checks = {c["name"]: c for c in quipu("doctor", "--json").document["checks"]}
    assert checks["model"]["status"] in {"fail", "warn"}
    assert checks["store"]["status"] == "ok"


@pytest.mark.parametrize("version", ["3.51.2", "3.45.0"])
def test_doctor_names_a_sqlite_that_can_damage_a_file(
    quipu, project: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    outcome = quipu("doctor", "--json")
    told = next(check for check in outcome.document["checks"] if check["name"] == "sqlite")
    assert (outcome.code, told["status"]) == (1, "fail")
    assert version in told["detail"]


def test_a_question_after_a_killed_rescan_finds_what_it_had_erased(
    quipu, open_memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    url = written_by_older_rules(open_memory, folder)
    with monkeypatch.context() as patched, open_memory(url, home=folder) as memory:
        patched.setattr("quipu.transfer.rescan.take_back", _die)
        with pytest.raises(_Killed):
            memory.rescan()
    found = quipu("search", "--store", url, "--json", "port of the gateway of payments")
    assert "8443" in found.out


class _Killed(Exception):
    pass


def _die(*_: object, **__: object) -> None:
    raise _Killed


def test_golden_questions_pass_or_exit_1(quipu, project: Path) -> None:
    expected = (
        "- question: who owns docs/payments.md?\n  expect: {paths: [CODEOWNERS, docs/*.md]}\n"
    )
    (project / "good.yaml").write_text(expected)
    good = quipu("golden", "run", "good.yaml", "--json")
    assert (good.code, good.document["passed"]) == (0, True)
    (project / "bad.yaml").write_text(
        f"{expected}- question: who is it?\n  expect: {{words: [zebra]}}\n"
    )
    bad = quipu("golden", "run", "bad.yaml")
    assert bad.code == 1
    assert "FAIL  who is it?" in bad.out
    assert "Not all golden questions passed." in bad.out
    (project / "wrong.yaml").write_text("- 3\n")
    assert quipu("golden", "run", "wrong.yaml").code == 2
