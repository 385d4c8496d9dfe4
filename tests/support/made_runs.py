"""Runs of every suite on small code and conversations, made by commands."""

import shutil
from pathlib import Path

from support.recorded import change_record
from tellapart.store.database import RunDatabase

TESTS = Path(__file__).parents[1]

RUNS = (
    "contrastive build code --out contrastive/bench --targets 5 --levels easy,hard,adversarial",
    "contrastive build code --out contrastive/written --targets 4 --levels easy,hard "
    "--summaries llm:offline/names,offline/vague",
    "contrastive run contrastive/written --model bm25 --out contrastive/runs/summarisers",
    "contrastive run contrastive/bench --model bm25 --model hashing --model lsa "
    "--out contrastive/runs/embedding",
    "contrastive run contrastive/bench --model bm25 --llm offline/overlap --repeats 2 "
    "--out contrastive/runs/matchers",
    "contrastive bundles contrastive/bench --out bundles.jsonl",
    "contrastive events code --out bundles/events.jsonl",
    "bundles tier bundles.jsonl --model lsa --out bundles/eval.jsonl",
    "bundles freeze bundles/eval.jsonl --version v1",
    "bundles score bundles/eval.jsonl --model tfidf --out bundles/tfidf.json --name base --checkpoint seed-1",
    "bundles score bundles/eval.jsonl --model bm25 --out bundles/bm25.json",
    "bundles score bundles/eval.jsonl --model hashing --out bundles/hashing.json",
    "bundles mine bundles/events.jsonl --existing bundles/eval.jsonl --model lsa --threshold 0.2 "
    "--out bundles/mined.jsonl --stats bundles/mined.stats.json",
    "codesearch issues --repos-path . --repo code --count 4 --out codesearch/conversations.json",
    "codesearch search --repos-path . --repo code --in codesearch/conversations.json "
    "--out codesearch/search_results.json",
    "codesearch search --repos-path . --repo code --in codesearch/conversations.json --top-k 5 "
    "--out codesearch/narrow.json",
    "codesearch evaluate --repos-path . --repo code --in codesearch/search_results.json --iteration 1 "
    "--run codesearch/runs/judged --explorer-a agent:offline/greps --judge offline/uncommon-words "
    "--out judged.json",
    "codesearch evaluate --repos-path . --repo code --in codesearch/narrow.json --iteration 1 "
    "--run codesearch/runs/narrow --explorer-a agent:offline/greps "
    "--judge offline/uncommon-words --out narrowed.json",
    "longcontext generate --out longcontext/cases --lengths 1K,2K --conversations 1 --depths 0,30,70,100 "
    "--traps 2",
    "longcontext run longcontext/cases --model offline/recalls --model offline/guesses-16k --fork-probes "
    "--quiet --run longcontext/runs/played --delay 0",
    "longcontext grade longcontext/runs/played --cases longcontext/cases --out rules.md "
    "--run longcontext/runs/graded",
    "longcontext grade longcontext/runs/played --cases longcontext/cases --grader judge "
    "--judge offline/compares --out judged.md --run longcontext/runs/judged --delay 0",
)
"""In a directory with fixtures of contrastive as ``code``."""


def make_runs(directory, tellapart):
    """Fill ``folder`` of a directory; ``tellapart`` runs a command line and gives code, stdout and stderr."""
    for source in ("package", "polyglot"):
        shutil.copytree(
            TESTS / "contrastive/fixtures" / source,
            directory / "code",
            ignore=shutil.ignore_patterns("__pycache__"),
            dirs_exist_ok=True,
        )
    for command in RUNS:
        code, _, err = tellapart(directory, *command.split())
        assert code == 0, f"{command}\n{err}"
    folder = directory / "folder"
    for suite in ("bundles", "codesearch", "contrastive", "longcontext"):
        passing = shutil.ignore_patterns("inspect", "*.eval")
        shutil.copytree(directory / suite, folder / suite, ignore=passing)
    for suite, name in (("contrastive", "matchers"), ("longcontext", "played")):
        killed = folder / suite / "runs" / "killed.partial"
        shutil.copytree(folder / suite / "runs" / name, killed)
        change_record(killed, status="running")
        with RunDatabase(killed / "run.db") as database:
            for row in list(database.rows("calls"))[7:]:
                database.remove("calls", row.key)
            database.settle()
