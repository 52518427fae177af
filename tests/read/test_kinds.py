"""Content without a path is code or prose by how it looks."""

import pytest

from quipu.read.kinds import profile_of

CODE = [
    "def add(a, b):\n    return a + b",
    "    async def stop(self):\n        '''Stops it.'''\n        await self.done()",
    "#include <stdio.h>\nint main(void) {\n  return 0;\n}",
    "export function go(x) {\n  return x;\n}",
    "pub fn new(a: u8) -> Self {\n    Self { a }\n}",
    "SELECT id FROM users WHERE name = 'x';",
    'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println(1)\n}',
    "def squash(a):\n    '''Returns.\n\n    ```\n    x = 1\n    ```\n    '''\n    return a",
]
PROSE = [
    "",
    "   \n\n",
    "The class of 1990 was small. It had ten members.",
    "Import duties rose in 1930 because of the law.",
    "# Guide\n\nCall it like this:\n\n```python\ndef f():\n    return 1\n```\n",
    "Function and form are discussed in the essay (1896), which says: form follows function.",
    "From here import taxes fell. The public (who paid) was glad; the state was not.",
    "- one\n- two\n- three",
]


@pytest.mark.parametrize("text", CODE)
def test_code_is_code(text: str) -> None:
    assert profile_of(text) == "code"


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_prose(text: str) -> None:
    assert profile_of(text) == "prose"
