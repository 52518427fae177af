"""Which reader a file gets, by its name: the one table of extensions and special names."""

from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from quipu.read.pipelines import is_workflow

Reader: TypeAlias = Literal[
    "markdown", "rst", "text", "html", "pdf", "docx", "notebook", "code", "data", "manifest",
    "codeowners", "compose", "workflow",
]  # fmt: skip

_CODE = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "java": "java",
    "rust": "rs",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl cu cuh",
    "csharp": "cs",
    "ruby": "rb rake gemspec",
    "php": "php",
    "bash": "sh bash zsh ksh bats",
    "sql": "sql ddl",
}
_OTHER: dict[Reader, str] = {
    "markdown": "md markdown mdown mkd mdx",
    "rst": "rst",
    "html": "html htm xhtml",
    "pdf": "pdf",
    "docx": "docx",
    "notebook": "ipynb",
}
_DATA = {
    "toml": "toml",
    "yaml": "yaml yml",
    "json": "json webmanifest",
    "jsonc": "jsonc code-workspace",
    "json5": "json5",
    "jsonl": "jsonl ndjson",
}
_WITH_COMMENTS = ("tsconfig", "jsconfig", "devcontainer", ".devcontainer")

_BY_EXTENSION: dict[str, tuple[Reader, str]] = {
    **{e: ("code", language) for language, all_ in _CODE.items() for e in all_.split()},
    **{e: (reader, reader) for reader, all_ in _OTHER.items() for e in all_.split()},
    **{e: ("data", language) for language, all_ in _DATA.items() for e in all_.split()},
}
_BY_NAME: dict[str, tuple[Reader, str]] = {
    "codeowners": ("codeowners", "codeowners"),
    "pyproject.toml": ("manifest", "toml"),
    "package.json": ("manifest", "json"),
    "cargo.toml": ("manifest", "toml"),
    "go.mod": ("manifest", "go.mod"),
    "pom.xml": ("manifest", "xml"),
    "gemfile": ("code", "ruby"),
    "rakefile": ("code", "ruby"),
    "docker-compose.yml": ("compose", "yaml"),
    "docker-compose.yaml": ("compose", "yaml"),
    "compose.yml": ("compose", "yaml"),
    "compose.yaml": ("compose", "yaml"),
}


def _holds_comments(place: PurePosixPath, stem: str) -> bool:
    """Whether the program that a JSON file is for lets it hold comments."""
    return stem.startswith(_WITH_COMMENTS) or place.parent.name == ".vscode"


def reader_of(path: str) -> tuple[Reader, str]:
    """The reader and language for `path`; plain text for a name that says nothing."""
    place = PurePosixPath(path)
    name = place.name.lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if is_workflow(path):
        return "workflow", "yaml"
    stem, _, extension = name.rpartition(".")
    if extension == "txt" and stem.startswith(("requirements", "constraints")):
        return "manifest", "requirements"
    if extension in {"yml", "yaml"} and stem.startswith(("docker-compose", "compose.")):
        return "compose", "yaml"
    if extension == "json" and _holds_comments(place, stem):
        return "data", "jsonc"
    return _BY_EXTENSION.get(extension, ("text", "text")) if stem else ("text", "text")
