"""What is built in an afternoon: BM25 (bm25s), exact vectors (numpy), reciprocal rank fusion.

The encoder is ONNX Runtime in batches of 32 texts of like length. Ranks are fused with k = 60
(Cormack et al. 2009) from the first 100 of each list.
"""

import json
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import onnxruntime
import Stemmer
from tokenizers import Tokenizer

from bench.peers.systems import HITS, Passage, Search

_BATCH, _TOKENS = 32, 256
_DEPTH, _K = 100, 60


def index(passages: list[Passage], store: Path, model: Path) -> None:
    """Two indexes and the ids."""
    texts = [passage.whole for passage in passages]
    words = bm25s.BM25()
    words.index(_tokens(texts), show_progress=False)
    words.save(str(store / "words"))
    np.save(store / "vectors.npy", _Encoder(model)(texts))
    (store / "ids.json").write_text(json.dumps([passage.id for passage in passages]))


def opened(store: Path, model: Path) -> Search:
    """Of both."""
    words = bm25s.BM25.load(str(store / "words"))
    vectors, encode = np.load(store / "vectors.npy"), _Encoder(model)
    ids: list[str] = json.loads((store / "ids.json").read_text())
    depth = min(_DEPTH, len(ids))

    def search(question: str) -> list[str]:
        said, _ = words.retrieve(_tokens([question]), k=depth, show_progress=False)
        meant = np.argsort(-(vectors @ encode([question])[0]), kind="stable")[:depth]
        fused = np.zeros(len(ids))
        for ranking in (said[0], meant):
            fused[ranking] += 1 / (_K + 1 + np.arange(depth))
        return [ids[row] for row in np.argsort(-fused, kind="stable")[:HITS]]

    return search


def _tokens(texts: list[str]) -> Any:
    stemmer = Stemmer.Stemmer("english")
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)


class _Encoder:
    def __init__(self, model: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self._tokenizer.enable_truncation(_TOKENS)
        self._tokenizer.enable_padding()
        self._network = onnxruntime.InferenceSession(model / "onnx" / "model.onnx")

    def __call__(self, texts: list[str]) -> np.ndarray:
        found = np.zeros((len(texts), 384), np.float32)
        by_length = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for first in range(0, len(texts), _BATCH):
            rows = by_length[first : first + _BATCH]
            read = self._tokenizer.encode_batch([texts[row] for row in rows])
            ids = np.array([each.ids for each in read])
            seen = np.array([each.attention_mask for each in read])
            given = {"input_ids": ids, "attention_mask": seen, "token_type_ids": 0 * ids}
            (out,) = self._network.run(None, given)
            mean = (out * seen[..., None]).sum(axis=1) / seen.sum(axis=1)[:, None]
            found[rows] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return found
