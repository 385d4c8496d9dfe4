"""Embedding on a GPU: ours beside ``encode`` of sentence-transformers.

Ours is in bfloat16, in batches of like lengths. The model has the shape of BERT base, or of MiniLM, and
random weights: speed does not depend on them. The texts are pieces of this package's source. Needs a GPU, and
the extra ``st``.

Usage: python benchmarks/gpu.py [TEXTS]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Pooling, Transformer
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel, BertTokenizerFast

import tellapart.embed.models.st as ours
from tellapart.embed.model_files import find_model

SHAPES = {"BERT base": (12, 768, 3072, 12), "MiniLM": (6, 384, 1536, 12)}
STEPS = (64, 2_048)
SOURCE = Path(ours.__file__).parents[2]


def pieces(count: int) -> list[str]:
    """Texts of 1 to 120 lines, in the mix that functions have: most are short."""
    lines = [line for path in sorted(SOURCE.rglob("*.py")) for line in path.read_text("utf-8").splitlines()]
    rng = np.random.default_rng(3)
    sizes = np.minimum(1 + rng.geometric(0.08, count), 120)
    starts = rng.integers(0, len(lines) - 120, count)
    return ["\n".join(lines[a : a + n]) for a, n in zip(starts, sizes, strict=True)]


def make(shape: tuple[int, int, int, int], texts: list[str], place: Path) -> Path:
    """Write a model with random weights, and a tokenizer of the texts."""
    words = BertWordPieceTokenizer()
    words.train_from_iterator(texts[:20_000], vocab_size=20_000, show_progress=False)
    bare = place / "bare"
    bare.mkdir(parents=True)
    words.save_model(str(bare))
    torch.manual_seed(1)
    layers, hidden, inner, heads = shape
    config = BertConfig(
        vocab_size=20_000,
        num_hidden_layers=layers,
        hidden_size=hidden,
        intermediate_size=inner,
        num_attention_heads=heads,
    )
    BertModel(config).save_pretrained(bare)
    BertTokenizerFast(vocab_file=str(bare / "vocab.txt"), model_max_length=512).save_pretrained(bare)
    body = Transformer(str(bare), max_seq_length=256)
    model = SentenceTransformer(modules=[body, Pooling(hidden)], device="cpu")
    model.save_pretrained(str(place / "model"))
    return place / "model"


def seconds(work: Callable[[], object]) -> float:
    """Time it, to the end of what the GPU has to do."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def in_steps(mine: ours.SentenceTransformerEmbedder, texts: list[str], step: int) -> np.ndarray:
    """Embed as a run does, which keeps what it has step by step."""
    return np.concatenate([mine.encode(texts[i : i + step]) for i in range(0, len(texts), step)])


def main(count: int) -> None:
    """Print texts a second."""
    texts = pieces(count)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; {count:,} texts")
    for name, shape in SHAPES.items():
        with tempfile.TemporaryDirectory() as place:
            path = make(shape, texts, Path(place))
            single = SentenceTransformer(str(path), device="cuda")
            half = SentenceTransformer(str(path), device="cuda").bfloat16()
            mine = ours.SentenceTransformerEmbedder(f"st:{path}", find_model(str(path)))
            runs: dict[str, Callable[[], np.ndarray]] = {
                "encode, single precision, batch 32": partial(single.encode, texts, batch_size=32),
                "encode, single precision, batch 256": partial(single.encode, texts, batch_size=256),
                "encode, bfloat16, batch 32": partial(half.encode, texts, batch_size=32),
                "encode, bfloat16, batch 256": partial(half.encode, texts, batch_size=256),
                "ours, all texts at once": partial(mine.encode, texts),
                **{f"ours, {step:,} texts a step": partial(in_steps, mine, texts, step) for step in STEPS},
            }
            single.encode(texts[:500])
            half.encode(texts[:500])
            mine.encode(texts[:500])
            print(f"{name}; {mine.fingerprint.split()[-1]}")
            for label, work in runs.items():
                spent = min(seconds(work) for _ in range(2))
                print(f"  {label:38}{spent:8.2f} s {count / spent:10,.0f} texts a second", flush=True)
            a = single.encode(texts[:2_000], normalize_embeddings=True)
            b = mine.encode(texts[:2_000])
            b = b / np.linalg.norm(b, axis=1, keepdims=True)
            cosines = (a * b).sum(axis=1)
            print(f"  cosine with single precision: least {cosines.min():.5f}, mean {cosines.mean():.5f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
