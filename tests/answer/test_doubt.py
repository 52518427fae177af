"""What is said beside an answer that is not sure."""

from pathlib import Path

import pytest

from quipu.answer.limitations import below
from quipu.config import Config
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder


@pytest.mark.parametrize(
    ("value", "bound", "said"),
    [
        (0.05, 0.12, ("5%", "12%")),
        (0.118, 0.12, ("11.8%", "12.0%")),
        (0.69996, 0.7, ("70.00%", "70.00%")),
        (0.6994, 0.7, ("69.9%", "70.0%")),
    ],
)
def test_what_is_below_reads_as_below(value: float, bound: float, said: tuple[str, str]) -> None:
    assert below(value, bound) == said


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("LedgerStor", "LedgerStore"),
        ("LegderStore", "LedgerStore"),
        ("LedgerXStore", "LedgerStore"),
        ("LedgxrStore", "LedgerStore"),
        ("Bakery99Queue", None),
    ],
)
def test_a_misspelt_name_is_told_with_the_one_that_is_known(
    tmp_path: Path, asked: str, known: str | None
) -> None:
    many = "".join(f"class Other{n}:\n    pass\n\n" for n in range(50))
    (tmp_path / "ledger.py").write_text(f"{many}class LedgerStore:\n    pass\n")
    with Memory.open(
        "memory:", home=tmp_path, config=Config(), embedder=HashEmbedder(64)
    ) as memory:
        memory.index([tmp_path])
        said = memory.ask(f"What does {asked} hold?").contract.limitations
    assert f"Nothing is known by the name '{asked}'." in said
    assert ("Names that are known and alike: " in said) is (known is not None)
    assert known is None or f"'{known}'" in said
