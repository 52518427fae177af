"""Whether a name may be that of a place, told by how it is written."""

__all__ = ["may_be_place"]

_NO_PLACES = frozenset(
    # What people move between that is written as a place is: tools, employers, parts of a firm.
    "vim neovim emacs nano atom eclipse sublime slack discord teams zoom skype notion trello asana "
    "jira linear basecamp evernote obsidian todoist figma sketch python ruby rust go kotlin swift "
    "scala perl haskell elixir typescript javascript node deno bun react angular vue svelte django "
    "flask rails spring express redis valkey memcached postgres mysql mariadb oracle sqlite mongo "
    "cassandra kafka rabbit docker podman kubernetes nomad jenkins travis actions bazel gradle "
    "maven make cmake ansible terraform pulumi windows linux ubuntu debian fedora gentoo mac "
    "android chrome chromium firefox safari edge brave opera bash zsh fish git github gitlab "
    "bitbucket mercurial subversion azure heroku vercel netlify cloudflare gmail outlook "
    "thunderbird spotify netflix excel word google meta facebook twitter apple amazon microsoft "
    "stripe uber sales marketing engineering finance support design product operations research "
    "legal monday tuesday wednesday thursday friday saturday sunday claude gemini mistral llama "
    "poetry pip conda npm yarn webpack vite".split()
)
_LONGEST = 4


def may_be_place(name: str) -> bool:
    """Whether `name` is written as a place is: each word with one capital, at its beginning
    ("New York"), and none of it known for something else."""
    words = name.replace("-", " ").split()
    return 0 < len(words) <= _LONGEST and all(
        word.isalpha() and word[0].isupper() and word[1:].islower() for word in words
    ) and not any(word.lower() in _NO_PLACES for word in words)  # fmt: skip
