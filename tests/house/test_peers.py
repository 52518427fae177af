"""Other systems beside this one: what is listed, measured and told when it fails."""

import json
from pathlib import Path

import pytest
from bench.peers.__main__ import main
from bench.peers.peers import PEERS

SUBJECTS = (
    "lighthouses",
    "beekeeping",
    "glaciers",
    "harpsichords",
    "volcanoes",
    "tax law",
    "sourdough",
    "orchids",
    "submarines",
    "chess openings",
    "falconry",
    "typefaces",
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    rows = [
        {"id": f"p{n}", "title": subject.title(), "text": f"A short history of {subject}."}
        for n, subject in enumerate(SUBJECTS)
    ]
    asked = [
        {"id": "right", "text": "How did beekeeping begin?"},
        {"id": "wrong", "text": "Who plays harpsichords?"},
        {"id": "unjudged", "text": "What is falconry?"},
    ]
    for name, lines in (("corpus", rows), ("queries", asked)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    judged = "query-id\tcorpus-id\tscore\nright\tp1\t1\nwrong\tp5\t1\nwrong\tp3\t0\n"
    (folder / "qrels.tsv").write_text(judged, encoding="utf-8")
    return folder


def test_every_peer_is_listed_with_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == [peer.name for peer in PEERS]
    for peer, line in zip(PEERS, listed, strict=True):
        assert f"{peer.package} {peer.version}: {peer.comes_with}" in line
        assert peer.version[0].isdigit()


@pytest.mark.model
def test_one_by_hand_is_measured_and_one_that_is_not_there_is_a_failure(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "peers.json"
    chosen = ["--only", "by_hand,chroma", "--here", "--rounds", "1"]
    kept = ["--environments", str(tmp_path / "kept"), "--out", str(out)]
    assert main([str(corpus), *chosen, *kept]) == 1
    figures = json.loads(out.read_text(encoding="utf-8"))
    # One of two judged questions is found; what the other is judged by has nothing to do with it.
    assert figures["by_hand"]["R@5"] == 50.0
    assert figures["by_hand"]["passages"] == len(SUBJECTS)
    assert figures["by_hand"]["index"]["processor_s"] > 0
    missing = "index: ModuleNotFoundError: No module named 'chromadb'"
    assert figures["chroma"]["failed"] == missing
    printed = capsys.readouterr().out
    assert f"**failed: {missing}**" in printed
    assert "| by_hand (bm25s" in printed


def test_an_unknown_peer_is_named(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(corpus), "--only", "by_foot"])
    assert "no peer is called by_foot" in capsys.readouterr().err


def test_a_folder_without_a_corpus_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "there is no corpus.jsonl" in capsys.readouterr().err
