"""A graded run of long conversations without a difference: how often its report claims one."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from tellapart.core.comparison import Comparison
from tellapart.core.randomness import generator
from tellapart.core.score_grid import score_grid
from tellapart.longcontext.grade_run import GradeSettings, grade_run
from tellapart.longcontext.grading_inputs import read_grading_inputs
from tellapart.longcontext.page import View, load, terminal
from tellapart.longcontext.page.verdict import headline, sentences
from tellapart.store import RunDirectory

CONVERSATIONS, PROBES = 12, 4
MODELS = {"alpha": 0.2, "beta": 0.5, "gamma": 0.8}
"""The share of probes that each model answers right, conversations apart."""

TASTE = 0.2
"""Up to so much more or less in one conversation, by chance."""

CLAIM = re.compile(
    r"\bbeats?\b|\bahead\b|\bleads?\b|"
    r"(?<!to be )(?<!none is clearly )\bbetter\b|(?<!better or )\bworse\b|\bseparates (?!none)",
    re.IGNORECASE,
)


def write_graded_run(folder: Path) -> RunDirectory:
    """Grade three models by rules in conversations that each of them finds easier or harder.

    Args:
        folder: Where the answers, the results and the run are written.
    """
    rng = generator(3, "graded run")
    blocks = [f"V1-{probe} (Recall):\n  A: {700 + probe} pumps\n" for probe in range(PROBES)]
    key = folder / "key.txt"
    key.write_text("\n".join(blocks), encoding="utf-8")
    results = []
    for model, share in MODELS.items():
        cases = [
            {"caseName": f"c{case}", "model": model, "steps": list(_steps(rng, share))}
            for case in range(CONVERSATIONS)
        ]
        results.append(folder / f"{model}.json")
        results[-1].write_text(json.dumps({"cases": cases}), encoding="utf-8")
    return grade_run(read_grading_inputs(results, key), GradeSettings(), out=folder / "run")


def _steps(rng: np.random.Generator, share: float) -> Iterator[dict[str, Any]]:
    here = share + rng.uniform(-TASTE, TASTE)
    stations = " ".join(f"Station {probe} has {700 + probe} pumps." for probe in range(PROBES))
    yield {"stepId": "M1", "userMessage": stations, "assistantResponse": "Noted."}
    for probe in range(PROBES):
        yield {
            "stepId": f"V1-{probe}",
            "stepType": "verification",
            "failureMode": "Recall",
            "userMessage": f"How many pumps has station {probe}?",
            "assistantResponse": f"{700 + probe} pumps" if rng.random() < here else "I do not know.",
        }


def claims(view: View, comparison: Comparison) -> bool:
    """Whether the first three lines of the terminal or of the page say that a model is better."""
    shown = replace(view, comparison=comparison)
    console = Console(width=120, file=io.StringIO(), highlight=False)
    console.print(*terminal(shown)[:2], sep="\n")
    lines = [line for line in console.file.getvalue().splitlines() if line.strip()][:3]
    lines += [headline(shown), *sentences(shown)[:2]]
    # The head of the table names the column of the model with the higher mean, which claims nothing.
    lines = [line for line in lines if "Behind" not in line]
    return any(CLAIM.search(line.replace("None is clearly better", "")) for line in lines)


def share_of_claims(run: RunDirectory, tables: int) -> float:
    """Give the share of permuted runs in whose first three lines a difference is claimed.

    Args:
        run: A graded run of several models; the answers in each conversation are dealt to them at random.
        tables: How many runs are drawn.
    """
    from permuted_run import share_of_claims as share

    view = load(run.path)
    return share(score_grid(run.scores()), lambda comparison: claims(view, comparison), tables=tables)
