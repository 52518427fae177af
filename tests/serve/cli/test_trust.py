"""A folder of somebody else sends nothing, reads nothing and writes nothing of the user's."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.servers.model_server import ModelServer
from tools.settings_reference import spelled

from quipu import config
from quipu.config import load
from quipu.errors import UntrustedFolder
from quipu.store import open_store
from quipu.trust import own_configuration
from quipu.write.jobs import Given, Jobs

KEY = "sk-" + "users-own-0123456789"


@pytest.fixture(autouse=True)
def own_user(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who trusts nothing yet."""
    home = tmp_path_factory.mktemp("own")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    return home


def ask_for(folder: Path, toml: str, env: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "quipu.toml").write_text(toml)
    if env:
        (folder / ".env").write_text(env)


def remote(server: ModelServer, more: str = "") -> str:
    at = f'base_url = "{server.base_url}"\n{more}\n'
    chat = f'[chat]\nmodel = "openai:gpt-x"\n{at}'
    return f'{chat}[embed]\nmodel = "openai:text-embedding-3-small"\n{at}'


@pytest.mark.parametrize("setting", list(config.settings()), ids=lambda setting: setting.key)
def test_every_setting_with_open_text_is_classified(setting: config.Setting) -> None:
    if "text" in spelled(setting.hint) and not setting.trust:
        assert setting.key in {"index.include", "index.exclude", "facts.functional"}
    names_what_is_outside = ("url", "file", "folder", "model", "policies", "ports", "namespace")
    if any(word in setting.key.partition(".")[2] for word in names_what_is_outside):
        assert setting.trust, setting.key


@pytest.mark.enable_socket
def test_a_foreign_folder_sends_no_key_and_no_passage(
    quipu: Any, project: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QUIPU_EMBED_MODEL")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    private = tmp_path.parent / f"{tmp_path.name}-key"
    private.write_text("the-first-line-of-a-private-file")
    theirs = project / "theirs"
    ask_for(
        theirs,
        remote(server, f'key_file = "{private}"')
        + f'[store]\nurl = "{project / ".quipu" / "quipu.db"}"\n[ingest]\nextract = "model"\n',
        f"OPENAI_API_KEY=theirs\nQUIPU_CHAT_BASE_URL={server.base_url}\n",
    )
    monkeypatch.chdir(theirs)
    for words in (
        ("ask", "who charges cards"),
        ("search", "cards"),
        ("status",),
        ("index", "."),
        ("init",),
        ("add", "a text"),
    ):
        outcome = quipu(*words)
        assert outcome.code == 2, words
        assert f"quipu trust {theirs}" in outcome.err
    store = ("--store", str(project / ".quipu" / "quipu.db"), "--namespace", "default")
    shown = quipu("ask", "who charges cards", *store)
    assert shown.code == 0
    for words in (("reindex",), ("index", str(project)), ("add", "a text")):
        assert "embed.model" in quipu(*words, *store).err
    assert server.requests == []


def test_trust_shows_what_is_asked_once_and_remembers_it_by_content(
    quipu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_for(tmp_path, '[chat]\nmodel = "openai:x"\n[search]\nlimit = 3\n', "OPENAI_API_KEY=hush\n")
    assert load(tmp_path / "quipu.toml").chat.model == "openai:x"  # the user named it
    assert load().chat.model == "none"
    assert load().search.limit == 3
    with pytest.raises(UntrustedFolder, match=r"chat\.model"):
        load(needs=("chat",))
    assert "OPENAI_API_KEY" not in config.environment()
    shown = quipu("trust")
    assert shown.code == 1
    assert "chat.model = openai:x" in shown.out
    assert "hush" not in shown.out
    assert load().chat.model == "none"
    assert quipu("trust", "--yes").code == 0
    assert load(needs=("chat",)).chat.model == "openai:x"
    assert config.environment()["OPENAI_API_KEY"] == "hush"
    assert quipu("trust", "--json").document["trusted"]
    (tmp_path / ".env").write_text("OPENAI_API_KEY=hush\nQUIPU_CHAT_MODEL=none\n")
    assert load().chat.model == "none"  # .env wins over the file beside it
    (tmp_path / ".env").write_text("OPENAI_API_KEY=hush\n")
    ask_for(tmp_path, '[chat]\nmodel = "openai:x"\n[search]\nlimit = 4\n')
    assert load().chat.model == "openai:x"  # what is asked for is the same
    ask_for(tmp_path, '[chat]\nmodel = "openai:x"\nbase_url = "http://evil.example"\n')
    assert load().chat.model == "none"
    quipu("trust", "--yes")
    listed = quipu("trust", "--list", "--json").document["folders"]
    assert [each["folder"] for each in listed] == [str(tmp_path)]
    assert quipu("untrust", "--json").document["was_trusted"]
    assert load().chat.model == "none"


def test_the_users_own_configuration_and_the_environment_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = own_configuration()
    assert own is not None
    own.parent.mkdir(parents=True)
    own.write_text('[chat]\nmodel = "openai:mine"\n[search]\nlimit = 7\n')
    monkeypatch.chdir(tmp_path)
    assert load().chat.model == "openai:mine"
    ask_for(tmp_path, '[chat]\nmodel = "openai:theirs"\n[search]\nlimit = 3\n')
    assert (load().chat.model, load().search.limit) == ("openai:mine", 3)
    assert load(environ={"QUIPU_CHAT_MODEL": "openai:env"}, needs=("chat",)).chat.model == (
        "openai:env"
    )
    ask_for(tmp_path, '[chat]\nmodel = "none"\n')  # to ask nobody needs no trust
    assert load(needs=("chat",)).chat.model == "none"


def test_what_is_trusted_is_the_users_alone(quipu: Any, own_user: Path, project: Path) -> None:
    quipu("add", "A text.")
    state = own_user / "state" / "quipu"
    kept = [each for each in state.rglob("*") if each.is_file()]
    assert len(kept) >= 3
    assert {each.stat().st_mode & 0o777 for each in kept} == {0o600}
    folders = [state, *(each for each in state.rglob("*") if each.is_dir())]
    assert {each.stat().st_mode & 0o777 for each in folders} == {0o700}


def test_a_store_that_came_with_a_folder_is_read_and_not_written(
    quipu: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = project / "copy"
    shutil.copytree(project / ".quipu", theirs / ".quipu")
    monkeypatch.chdir(theirs)
    read = quipu("search", "payment")
    assert read.code == 0
    assert "payments.md" in read.out
    assert f"quipu trust {theirs}" in read.err
    forgetting = ("forget", "--yes", "x")
    for words in (("add", "x"), ("index", "."), ("init",), ("jobs",), ("mcp",), forgetting):
        outcome = quipu(*words)
        assert outcome.code == 2, words
        assert "not made by you" in outcome.err
    checks = {each["name"]: each["status"] for each in quipu("doctor", "--json").document["checks"]}
    assert checks["trust"] == "warn"
    assert quipu("add", "x", "--store", ".quipu/quipu.db").code == 0
    assert quipu("trust", "--yes").code == 0
    assert quipu("add", "y").code == 0
    assert quipu("search", "payment").err == ""
    assert quipu("untrust").code == 0
    assert quipu("add", "z").code == 2


def test_a_store_found_behind_a_link_is_refused(
    quipu: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, link in (("one", ".quipu"), ("two", ".quipu/quipu.db")):
        theirs = project / name
        (theirs / link).parent.mkdir(parents=True)
        (theirs / link).symlink_to(project / link)
        monkeypatch.chdir(theirs)
        for words in (("search", "payment"), ("add", "x"), ("trust", "--yes")):
            if (name, words[0]) != ("two", "trust"):
                assert "is a link" in quipu(*words).err


def test_a_folder_of_another_user_is_not_ours(
    quipu: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quipu("add", "x").code == 0
    there = os.stat_result
    usual = Path.stat

    def stat(path: Path, **options: Any) -> os.stat_result:
        found = usual(path, **options)
        return there([*found[:4], 4321, *found[5:]]) if path.name == ".quipu" else found

    monkeypatch.setattr(Path, "stat", stat)
    assert quipu("add", "y").code == 2


def _job(database: Path, kind: str, payload: Any) -> None:
    """Put an open job into a store, as somebody else would."""
    with open_store(str(database)) as store:
        jobs = Jobs(store, None, lambda: "2026-03-01T10:00:00.000Z", key=b"theirs")
        jobs.accept([Given(kind, json.dumps(payload).encode())])
        jobs.close()


def test_a_job_that_somebody_else_wrote_down_is_not_done(
    quipu: Any, project: Path, tmp_path: Path
) -> None:
    quipu("add", "The first text.")
    private = tmp_path.parent / f"{tmp_path.name}-private.md"
    private.write_text("---\ntype: task\n---\n# The private task of the wombat\n")
    _job(project / ".quipu" / "quipu.db", "files", {"paths": [str(private)]})
    said = quipu("add", "Another text.")
    assert said.code == 0
    assert "not accepted by you" in said.err
    quipu("jobs", "--resume")
    assert quipu("search", "--json", "wombat").document["hits"] == []
    asks = quipu("trust", "--json").document
    assert [each["kind"] for each in asks["jobs"]] == ["files"]
    assert str(private) in asks["jobs"][0]["what"]
    assert quipu("trust", "--yes").code == 0
    quipu("jobs", "--resume")
    assert quipu("search", "--json", "wombat").document["hits"] != []
