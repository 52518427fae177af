"""`quipu chat` without a model; with one it is tests/agent that looks."""

from pathlib import Path


def test_one_question_is_one_document(quipu, project: Path) -> None:
    shown = quipu("chat", "--json", "who owns docs/payments.md?").document
    assert shown["model"] == "offline"
    assert "team-pay" in shown["answer"]
    assert shown["sources"][0]["n"] == 1


def test_a_conversation_reads_lines_until_they_end(quipu, project: Path) -> None:
    outcome = quipu("chat", stdin="who owns docs/payments.md?\n:1\n")
    assert outcome.code == 0
    assert "team-pay" in outcome.out
    assert "(confidence:" in outcome.out


def test_a_missing_key_is_named(quipu, project: Path, monkeypatch) -> None:
    monkeypatch.setenv("QUIPU_CHAT_MODEL", "openai:gpt-4o-mini")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    outcome = quipu("chat", "who owns docs/payments.md?")
    assert outcome.code == 3
    assert "OPENAI_API_KEY" in outcome.err


def test_doctor_looks_at_a_remote_model_without_asking_it(
    quipu, project: Path, monkeypatch
) -> None:
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "openai:text-embedding-ada-002")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "OPENAI_API_KEY" in quipu("doctor").out
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden-0123456789")
    outcome = quipu("doctor")
    assert "openai:text-embedding-ada-002/1536" in outcome.out
    assert "sk-hidden" not in outcome.out + outcome.err
