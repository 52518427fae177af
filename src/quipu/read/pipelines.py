"""Which files are CI pipelines."""

import re
from pathlib import PurePosixPath

__all__ = ["is_workflow"]

_FOLDERS = (".github/workflows", ".gitea/workflows", ".forgejo/workflows", ".circleci")
_FILES = re.compile(
    r"(?:\.?gitlab-ci|azure-pipelines|bitbucket-pipelines|\.drone|\.woodpecker|\.travis"
    r"|appveyor|cloudbuild|buildspec)(?:[.-][\w.-]+)?\.ya?ml"
)


def is_workflow(path: str) -> bool:
    """Whether a file is a CI pipeline, by where it lies and how it is called."""
    place = PurePosixPath(path.lower())
    if place.suffix not in {".yml", ".yaml"}:
        return False
    folder = place.parent.as_posix()
    return bool(_FILES.fullmatch(place.name)) or any(
        folder == each or folder.endswith(f"/{each}") for each in _FOLDERS
    )
