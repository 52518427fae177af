"""`search`, `ask` and `plan` on a small project, as a person and as a program see them."""

import json
from pathlib import Path

import pytest


def test_search_shows_place_score_reason_and_snippet(quipu, project) -> None:
    outcome = quipu("search", "retries", "failed", "charges")
    assert outcome.code == 0
    first, why, *rest = outcome.out.splitlines()
    assert "docs/payments.md:" in first
    assert first.startswith(" 1  0.")
    assert "lexical" in why
    assert any("retries failed charges" in line for line in rest)
    assert "\x1b" not in outcome.out


def test_ask_answers_in_the_order_of_the_contract(quipu, project) -> None:
    outcome = quipu("ask", "how often are failed charges retried?")
    assert outcome.code == 0
    assert outcome.out.startswith("Answer (confidence ")
    assert "`docs/payments.md:" in outcome.out.split("[1]")[0]
    assert " · Confidence is " in outcome.out.split("[1]")[1]


def test_ask_as_json_has_exactly_the_promised_keys(quipu, project) -> None:
    document = quipu("ask", "--json", "who owns docs/payments.md?").document
    promised = {"contract", "confidence", "citations", "plan", "hits", "notes"}
    assert document.keys() == promised
    assert document["contract"].keys() == {
        "answer",
        "evidence",
        "timestamp",
        "limitations",
        "next_step",
    }
    assert document["confidence"].keys() == {"value", "inputs"}
    for citation in document["citations"]:
        assert citation.keys() == {"n", "path", "start_line", "end_line", "match", "graph_ids"}
    assert document["hits"]
    for hit in document["hits"]:
        assert hit.keys() == {"id", "score", "why_ranked", "source_ref", "temporal_context"}
    assert document["contract"]["answer"] != "unknown"


def test_plan_of_documents_has_exactly_the_keys_of_the_founding_document(quipu, project) -> None:
    question = "payment charges cards retries failed"
    document = quipu("plan", "--mode", "documents", "--json", question).document
    assert list(document) == ["seed_documents", "expanded_documents", "constraints"]
    assert document["constraints"] == {"max_relationship_depth": 1, "traversal_enabled": False}
    assert document["seed_documents"]
    assert all(seed.keys() == {"document_id"} for seed in document["seed_documents"])
    for each in document["expanded_documents"]:
        assert list(each) == ["document_id", "via", "from"]
    full = quipu("plan", "--mode", "documents", "--json", "--explain", question).document
    assert {seed["document_id"] for seed in full["seeds"]} == {
        seed["document_id"] for seed in document["seed_documents"]
    }


@pytest.mark.parametrize(
    "question",
    [
        'payment" OR 1=1; DROP TABLE chunk; --',
        "((((NEAR * AND payment*",
        "支付服务在哪里?",
        "payment \x00\x1b[31m\ud800",
        "💸 payment",
        "payment " * 12_500,
    ],
    ids=["sql", "syntax", "script", "control", "emoji", "100KB"],
)
def test_any_question_is_only_a_question(quipu, project, question: str) -> None:
    stdin = question.encode("utf-8", "surrogatepass")
    for command in ("search", "ask", "plan"):
        outcome = quipu(command, "--json", "-", stdin=stdin)
        assert outcome.code == 0, outcome.err
        assert json.loads(outcome.out)
        shown = quipu(command, "-", stdin=stdin)
        assert "\x1b" not in shown.out
        assert "\x00" not in shown.out


def test_text_of_documents_cannot_steer_the_terminal(quipu, project: Path) -> None:
    (project / "evil.md").write_text("# Evil \x1b]0;owned\x07\n\nquokka \x1b[2J\x9b31m text\n")
    assert quipu("index", ".").code == 0
    for words in (("search", "quokka"), ("ask", "quokka?"), ("get", "evil.md"), ("plan", "quokka")):
        outcome = quipu(*words)
        assert outcome.code == 0
        assert not {"\x1b", "\x07", "\x9b"} & set(outcome.out + outcome.err)


def test_a_reply_is_checked_against_the_memory(quipu, project: Path) -> None:
    reply = quipu("ask", "--json", "who owns the ledger?").document
    (project / "reply.json").write_text(json.dumps(reply))
    good = quipu("contract", "check", "reply.json")
    assert good.code == 0
    assert good.out.startswith("The contract holds.")
    reply["contract"]["evidence"] = [
        {"graph_ids": ["en_x"], "file_paths": ["nowhere.md"], "excerpt": "never said"}
    ]
    reply["contract"]["answer"] = "It is so [1]."
    (project / "reply.json").write_text(json.dumps(reply))
    bad = quipu("contract", "check", "--json", "reply.json")
    assert bad.code == 1
    assert len(bad.document["evidence"][0]["errors"]) == 2
    told = quipu("contract", "check", "reply.json").out
    assert "missing" in told
    assert "not found: It is so" in told
    (project / "reply.json").write_text("[")
    assert quipu("contract", "check", "reply.json").code == 2
