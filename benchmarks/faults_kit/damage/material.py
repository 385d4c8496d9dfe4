"""The files that are mutated: fixtures of the tests, and what is made here."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl

from support.made_runs import RUNS
from support.recorded import change_record
from tellapart.store.database import RunDatabase

TESTS = Path(__file__).parents[3] / "tests"
LAID_OUT = {
    "readers/fixtures": "scores",
    "bundles/reading/mined": "mined",
    "codesearch/reading/fixtures": "recorded",
    "contrastive/fixtures/package": "code",
    "longcontext/fixtures": "conversations",
}
"""Fixtures, and the directory that they lie in here."""
CASE = "longcontext/cases/1K-01.yaml"
COMMANDS = (
    "codesearch loop --repos-path . --repo code --in conversations.json --config config.json "
    "--dir codesearch/loop",
    "contrastive build code --out bench --targets 3 --levels easy",
    "contrastive run bench --model bm25 --model tfidf --out runs/embedding",
    "contrastive run bench --model bm25 --llm offline/overlap --out runs/matched",
    "contrastive units code --template template.jsonl",
    "bundles freeze small.jsonl --version v1",
    "bundles score small.jsonl --model bm25 --out bm25.json",
    "bundles score small.jsonl --model tfidf --out tfidf.json",
    "bundles score small.jsonl --model hashing --out hashing.json",
    "bundles score longer.jsonl --model bm25 --out organic/bm25.json",
    "bundles score longer.jsonl --model tfidf --out organic/tfidf.json",
    "embed small.jsonl --model hashing --out vectors",
    "bundles convert small.jsonl small.parquet",
    "bundles convert small.jsonl reranking.jsonl --to reranking",
    "bundles convert easy.jsonl triplets.jsonl --to triplets",
    "bundles convert small.jsonl triplet.parquet --to triplet",
    "codesearch evaluate --repos-path . --repo code --in search_results.json --iteration 1 --run runs/judged "
    "--judge offline/uncommon-words --out evaluation.json",
    "codesearch export --in evaluation.json --to-label sheet.csv",
    "longcontext run case.yaml --model offline/recalls --fork-probes --quiet --run runs/played --delay 0",
    "longcontext grade runs/played --cases case.yaml --run runs/graded --out graded.md --quiet",
)


def prepare(material: Path, run) -> None:
    """Fill a directory; ``run`` is called with it and a command line, and gives how it ended first."""
    lay_out(material)
    _run_all(RUNS, material, run)
    _write_bundles(material)
    _write_searches(material)
    _write_conversations(material)
    (material / "organic").mkdir()
    _run_all(COMMANDS, material, run)
    sheet = pl.read_csv(material / "sheet.csv", infer_schema=False)
    sheet.with_columns(human=pl.lit("1")).write_csv(material / "sheet.csv")
    summaries = pl.read_parquet(material / "bench" / "summaries.parquet")
    summaries.select("unit", model="source", summary="text").write_ndjson(material / "summaries.jsonl")
    _interrupt(material)
    _write_lists(material)


def lay_out(material: Path) -> None:
    """Copy fixtures and write tables: what no command makes."""
    for source, name in LAID_OUT.items():
        ignored = shutil.ignore_patterns("__pycache__", "*.py" if name in ("mined", "conversations") else "")
        shutil.copytree(TESTS / source, material / name, ignore=ignored, dirs_exist_ok=True)
    for path in (TESTS / "pinned/inputs").iterdir():
        shutil.copy(path, material / path.name)
    _write_scores(material)


def _run_all(commands, material, run):
    for command in commands:
        outcome, _ = run(material, command)
        if outcome.code:
            raise AssertionError(f"{command}\n{outcome.err.decode()}\n{outcome.trace}")


def _write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def _lines(path, rows):
    _write(path, "".join(json.dumps(row) + "\n" for row in rows))


def _write_scores(material):
    rows = [
        {
            "model": model,
            "item": f"q{at}",
            "score": int((at * (shift + 3)) % 5 > shift),
            "topic": "xyz"[at % 3],
        }
        for shift, model in enumerate("abc")
        for at in range(10)
    ]
    frame = pl.DataFrame(rows)
    frame.write_csv(material / "scores.csv")
    frame.write_parquet(material / "scores.parquet")
    frame.pivot("model", index="item", values="score").write_csv(material / "wide.csv")
    _lines(material / "scores.jsonl", rows)
    _write(material / "scores.json", rows)
    for model in "ab":
        frame.filter(pl.col("model") == model).write_csv(material / f"{model}.csv")
    frame.sort(pl.col("item").hash(1), "model").write_csv(material / "asked.csv")
    judged = pl.DataFrame({"model": ["a"] * 30 + ["b"] * 30, "item": [f"q{at}" for at in range(30)] * 2})
    judged = judged.with_columns(score=pl.int_range(60) * 7 % 3 % 2)
    judged.write_csv(material / "judged.csv")
    labels = judged.filter(pl.col("item").str.slice(1).cast(pl.Int64) % 6 > 0)
    labels.with_columns(human=pl.int_range(50) % 2).drop("score").write_csv(material / "labels.csv")
    for side, model in (("main", "a"), ("pr", "b")):
        (material / "release" / side).mkdir(parents=True)
        frame.filter(pl.col("model") == model).write_csv(material / "release" / side / "quiz.csv")
    _write(material / "gate.yaml", "benchmarks:\n  quiz:\n    tier: critical\n    max_drop: 0.1\n")
    floats = frame.with_columns(score=(pl.col("score") + 1) / 3 - pl.int_range(pl.len()) / 100)
    floats.write_csv(material / "floats.csv")
    attempts = (material / "attempts.csv").read_text().splitlines()[:41]
    _write(material / "attempts.csv", "\n".join(attempts) + "\n")


def _write_bundles(material):
    rows = [json.loads(line) for line in (material / "bundles/eval.jsonl").read_text().splitlines()]
    tiers = {}
    for row in rows:
        tiers.setdefault(json.dumps(row.get("tier")), []).append(row)
    small = [row for of in tiers.values() for row in of[:3]]
    _lines(material / "small.jsonl", small)
    _lines(material / "longer.jsonl", [*small, next(row for row in rows if row not in small)])
    _lines(material / "pool.jsonl", list({row["anchor"]: row for row in rows}.values())[:8])
    _lines(
        material / "easy.jsonl",
        [row for row in rows if len(row["negatives"]) == len(rows[0]["negatives"])][:3],
    )
    texts = sorted({text for row in rows for text in _texts(row)})
    vectors = np.array([list(hashlib.sha256(text.encode()).digest()[:6]) for text in texts], np.float32)
    np.savez(material / "vectors.npz", texts=np.array(texts), vectors=vectors / 255)
    events = (material / "bundles/events.jsonl").read_text().splitlines(keepends=True)
    _write(material / "events.jsonl", "".join(events[:40]))
    _lines(material / "train.jsonl", [{"text": text} for text in texts[:4]])
    sizes = {"tier1_easy": 80, "tier3_adversarial": 40}
    capsules = [
        {
            "condition": condition,
            "seed": seed,
            "overall": _stats(120, 60 + seed + more),
            "by_tier": {
                tier: _stats(n, n // 2 + (seed + more if n == 80 else 0)) for tier, n in sizes.items()
            },
        }
        for condition, more in (("plain", 0), ("mined", 5))
        for seed in (1, 2, 3)
    ]
    header = {"_header": True, "source_sha256": "ab" * 32, "eval_seed": 42, "eval_count": 120}
    _write(material / "sweep.json", {"eval_header": header, "eval_path": "e.jsonl", "capsules": capsules})
    phases = [
        {"steps": 3000, "batch_size": 32, "tier_probabilities": {"tier1": 0.8, "tier3": 0.05},
         "pool_ratios": {"legacy": 1, "routine": 1}},
        {"steps": 7000, "batch_size": 32, "tier_probabilities": {"tier3": 0.1},
         "pool_ratios": {"legacy": 0.75, "organic": 0.25}},
    ]  # fmt: skip
    pools = {"legacy": 454, "organic": 1740, "routine": {"size": 20000, "tier": "tier1"}}
    _write(material / "curriculum.json", {"pools": pools, "phases": phases})
    _write(
        material / "curriculum.yaml",
        "pools: {legacy: 454, organic: 1740}\nphases:\n  - steps: 3000\n    batch_size: 32\n"
        "    tier_probabilities: {tier3: 0.05}\n    pool_ratios: {legacy: 0.5, organic: 0.25}\n",
    )


def _stats(n, correct):
    margins = {"mean_margin": -0.1, "median_margin": -0.05, "q10_margin": -0.3}
    return {
        "n": n,
        "correct": correct,
        "accuracy": correct / n,
        "mean_rank": 2.5,
        "pass_rate": correct / n,
        **margins,
    }


def _texts(row):
    yield row["anchor"]
    yield row["positive"]["text"]
    for negative in row["negatives"]:
        yield negative["text"]


def _write_searches(material):
    for name in ("conversations.json", "search_results.json", "narrow.json"):
        record = json.loads((material / "codesearch" / name).read_text())
        listed = next(value for value in record.values() if isinstance(value, list))
        del listed[2:]
        _write(material / name, record)
    gold = [
        {"id": row["conversation_id"], "files": row["touched_files"]}
        for row in json.loads((material / "conversations.json").read_text())["conversations"]
    ]
    _lines(material / "gold/files.jsonl", gold)
    _write(material / "gold/qrels.txt", "".join(f"{row['id']} 0 {row['files'][0]} 1\n" for row in gold))
    patch = "diff --git a/text.py b/text.py\n--- a/text.py\n+++ b/text.py\n@@ -1 +1 @@\n-x\n+y\n"
    issues = [
        {"instance_id": row["id"], "repo": "code", "base_commit": "c" * 40, "patch": patch,
         "problem_statement": "Lines are long"}
        for row in gold
    ]  # fmt: skip
    _lines(material / "gold/issues.jsonl", issues)
    pl.DataFrame(issues).write_parquet(material / "gold/issues.parquet")
    _write(
        material / "config.json",
        {
            "repos_path": ".",
            "approved_repos": ["code"],
            "calibration_iterations": 2,
            "calibration_overlap_threshold": 0.9,
            "models": {"judge": "none"},
            "search": {"system": "lexical:", "top_k": 5},
            "loop": {
                "min_iterations": 1,
                "max_iterations": 2,
                "convergence": {"change": 0.02, "iterations": 2},
            },
            "seed": 42,
        },
    )


def _write_conversations(material):
    from longcontext.importing.data_sets import locomo, longmemeval, mrcr, nolima

    shutil.copy(material / CASE, material / "case.yaml")
    _write(material / "data/longmemeval_oracle.json", [longmemeval(), longmemeval(question_id="q-2")])
    _write(material / "data/locomo10.json", [locomo()])
    pl.DataFrame([mrcr()]).write_parquet(material / "data/mrcr.parquet")
    _write(material / "data/needle_set.json", [nolima(character_set=["Mara"])])
    _write(material / "data/books/book.txt", "".join(f"Sentence {at} is here. " for at in range(200)))


def _interrupt(material):
    """Make runs as they are when a process is killed just before it gives them their name, or earlier."""
    for name, files in {
        "embedding": (),
        "matched": (),
        "judged": (
            "items.parquet",
            "scores.parquet",
            "artifacts/evaluation.json",
            "artifacts/scores",
        ),
        "played": ("artifacts/experiment-results.json",),
        "graded": (),
    }.items():
        partial = material / f"runs/{name}-killed.partial"
        shutil.copytree(material / "runs" / name, partial)
        change_record(partial, status="running")
        if name == "judged":
            _forget_steps(partial)
        for file in files:
            path = partial / file
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    # As far as the calls, the step itself to be done again.
    called = material / "runs/called-killed.partial"
    shutil.copytree(material / "runs/matched-killed.partial", called)
    _forget_steps(called)


def _forget_steps(run):
    with RunDatabase(run / "run.db") as database:
        database.remove("steps")
        database.settle()


def _write_lists(material):
    sets = pl.read_parquet(material / "bench/sets.parquet")
    _write(material / "excluded.txt", sets["item"][0] + "\n")
    human = (material / "human.csv").read_text().splitlines(keepends=True)
    _write(
        material / "human.csv",
        "".join(line for line in human if "2K-01" not in line and "guesses" not in line),
    )
