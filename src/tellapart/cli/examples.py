"""One command line that works for every command; it stands at the end of the command's help."""

from __future__ import annotations

import typer

_EXAMPLES = (
    "demo --out demo",
    "audit scores.csv --html audit.html",
    "compare main.csv candidate.csv --max-drop 0.02",
    "next scores.csv --items items.csv --max-items 600",
    "leaderboard results --html leaderboard.html",
    "view runs --port 8000 --no-open",
    "contrastive build src --out bench --targets 100",
    "contrastive run bench --model bm25 --model tfidf --model lsa --out runs/first",
    "contrastive report runs/first --html report.html --markdown report.md",
    "contrastive bias bench --model bm25 --model tfidf --model lsa",
    "contrastive bundles bench --out bundles.jsonl",
    "contrastive events src --out events.jsonl",
    "contrastive summaries bench --out summaries.jsonl",
    "contrastive units src --template summaries.jsonl",
    "contrastive validate src --targets 100",
    "writers judge bench --judge anthropic/claude-sonnet-5-5 --method both --units 60 --dry-run",
    "writers retrieve bench --model bm25 --model lsa --out runs/search",
    "writers rank runs/first --weights retrieval=.5,contrastive=.5",
    "embed eval.jsonl --model lsa --out vectors",
    "bundles compare tfidf.json bm25.json --max-drop 0.02",
    "bundles gate --frozen frozen-main.json frozen-pr.json --organic organic-main.json organic-pr.json",
    "bundles canary canaries.json --floor 0.9",
    "bundles convert eval.jsonl triplets.parquet --to triplet",
    "bundles lint eval.jsonl --train train.jsonl",
    "bundles pool split pool.jsonl --share 0.8 --out train.jsonl holdout.jsonl",
    "bundles score eval.jsonl --model tfidf --out tfidf.json",
    "bundles tier bundles.jsonl --model lsa --out eval.jsonl",
    "bundles freeze eval.jsonl --version v1",
    "bundles extend eval.jsonl longer.jsonl --version v2",
    "bundles mine events.jsonl --existing eval.jsonl --model lsa --threshold 0.5 --out mined.jsonl",
    "bundles report tfidf.json bm25.json --html report.html --markdown report.md",
    "bundles exposure --steps 10000 --batch-size 32 --tier3-probability 0.1 --legacy-ratio 0.75 "
    "--pool-size 454",
    "bundles pareto tfidf.json bm25.json --metric tier1_easy_pass_rate --metric tier1_easy_mean_rank:min",
    "bundles seeds tfidf.json bm25.json --metric pass_rate",
    "bundles bank tfidf.json bm25.json lsa.json",
    "codesearch issues --repos-path . --repo src --count 20 --out conversations.json",
    "codesearch search --repos-path . --repo src --in conversations.json --out search_results.json",
    "codesearch evaluate --repos-path . --repo src --in search_results.json --iteration 1 --run runs/plain",
    "codesearch rescore --in runs/plain/artifacts/evaluation.json --out rescored.json",
    "codesearch compare runs/plain runs/other",
    "codesearch learn --in evaluation.json --out learnings.json",
    "codesearch loop --repos-path . --repo src --in conversations.json --dir loop",
    "codesearch report runs/plain --html codesearch.html",
    "codesearch export --trec trec --in evaluation.json",
    "longcontext generate --out cases --lengths 1K,2K,4K,8K --conversations 6",
    "longcontext import longmemeval_oracle.json --out imported --limit 20 --seed 7",
    "longcontext lint cases",
    "longcontext run cases --model offline/recalls-16k --fork-probes --quiet --run runs/played",
    "longcontext grade runs/played --cases cases --out report.md --run runs/graded",
    "longcontext agreement runs/graded human.csv",
    "longcontext report runs/graded --html longcontext.html",
    "runs list",
    "runs show first",
    "runs check first",
    "runs export first --out exported",
    "runs delete first",
)


def add_examples(app: typer.Typer, group: str = "") -> None:
    """Put its example below the help of every command of ``app`` and of its groups."""
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "")
        lines = [line for line in _EXAMPLES if f"{line} ".startswith(f"{group}{name} ")]
        if not lines:
            raise LookupError(f"cli/examples.py has no example of 'tellapart {group}{name}'")
        command.epilog = f"Example: tellapart {lines[0]}"
    for inner in app.registered_groups:
        if inner.typer_instance is not None:
            add_examples(inner.typer_instance, f"{group}{inner.name} ")
