"""Comparing two scoreboards: from their files to figures, or a refusal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tellapart.bundles.comparison import FAMILY, Figures, compare_scores
from tellapart.bundles.gates import check_limits, drop_gates
from tellapart.bundles.scoreboard import Scoreboard, read_scoreboard, scores_path
from tellapart.bundles.scoring import SCORE_SCHEMA
from tellapart.bundles.tier_stats import TierStats, stats_by_tier
from tellapart.core.fingerprint import Fingerprint
from tellapart.errors import InputError, Refused
from tellapart.store import read_frame

_AGAIN = "Score the eval again with 'tellapart bundles score'"
_ALLOW = "to look at them all the same, add --allow-fingerprint-mismatch, which marks the result exploratory"
_OPTIONAL = {"missing", "tier"}


@dataclass(frozen=True)
class Scored:
    """A scoreboard with the scores that it sums up.

    Attributes:
        path: Of the scoreboard.
        board: What it says.
        scores: Rows of ``SCORE_SCHEMA``.
    """

    path: Path
    board: Scoreboard
    scores: pl.DataFrame

    @property
    def fingerprint(self) -> str:
        """Of the eval."""
        return self.board.eval_header.fingerprint


def load_scored(path: Path) -> Scored:
    """Read a scoreboard and the scores beside it.

    Raises:
        InputError: One of them is missing or damaged, or they do not belong together.
    """
    board = read_scoreboard(path)
    header = board.eval_header
    composed = str(Fingerprint(header.source_hash, header.seed, header.item_count))
    if header.fingerprint != composed:
        raise InputError(
            f"the fingerprint {header.fingerprint!r} is not that of its parts, {composed!r}",
            where=path,
            next_step=_AGAIN,
        )
    beside = scores_path(path)
    if not beside.exists():
        raise InputError(
            f"the scores of each bundle are missing: there is no {beside.name!r} beside it",
            where=path,
            next_step=f"{_AGAIN}; copy the two files together",
        )
    scores = read_frame(beside)
    _check_scores(beside, scores)
    _check_pair(beside, scores, board)
    return Scored(path, board, scores)


def compare(
    a: Path,
    b: Path,
    *,
    max_drop: float | None = None,
    max_q10_drop: float | None = None,
    allow_fingerprint_mismatch: bool = False,
) -> Figures:
    """Compare the scoreboard of a candidate B with that of a baseline A.

    Args:
        a: The baseline's scoreboard.
        b: The candidate's.
        max_drop: See ``drop_gates``.
        max_q10_drop: See ``drop_gates``.
        allow_fingerprint_mismatch: Go on where the evals differ, and mark the result exploratory.

    Returns:
        The figures of ``tellapart bundles compare --json``: those of ``compare_scores``, ``gates`` as
        ``drop_gates`` gives them, and which scoreboards were compared.

    Raises:
        InputError: A scoreboard or its scores cannot be used.
        Refused: The evals differ.
        UsageError: A limit is out of range.
    """
    check_limits(max_drop, max_q10_drop)
    first, second = load_scored(a), load_scored(b)
    differs = _differences(first, second)
    if differs and not allow_fingerprint_mismatch:
        _refuse(first, second, differs)
    found = compare_scores(
        first.scores, second.scores, names=tuple(sorted({first.fingerprint, second.fingerprint}))
    )
    return {
        "fingerprints_match": first.fingerprint == second.fingerprint,
        "exploratory": bool(differs),
        "a": _described(first),
        "b": _described(second),
        **found,
        "gates": drop_gates(
            found["tiers"],
            max_drop=max_drop,
            max_q10_drop=max_q10_drop,
            own_tiers=found["items"]["moved"] > 0,
        ),
        "family": FAMILY,
        "notes": _notes(found["items"], differs),
    }


def _check_scores(path: Path, scores: pl.DataFrame) -> None:
    wrong = [name for name, kind in SCORE_SCHEMA.items() if scores.schema.get(name) != kind]
    if wrong:
        raise InputError(
            f"these are no scores of bundles: column {wrong[0]!r} is {scores.schema.get(wrong[0])}, "
            f"expected {SCORE_SCHEMA[wrong[0]]}",
            where=path,
            next_step=_AGAIN,
        )
    for name in SCORE_SCHEMA.names():
        bad = scores[name].is_null()
        if SCORE_SCHEMA[name].is_float():
            bad = bad | ~scores[name].is_finite()
        if name not in _OPTIONAL and bad.any():
            raise InputError(
                f"column {name!r} lacks a value in row {bad.arg_max()}", where=path, next_step=_AGAIN
            )
    repeated = scores.filter(scores["item"].is_duplicated())["item"]
    if len(repeated):
        raise InputError(f"item {repeated[0]!r} is there more than once", where=path, next_step=_AGAIN)


def _check_pair(path: Path, scores: pl.DataFrame, board: Scoreboard) -> None:
    """Sum the scores up again; a checkpoint scored anew may keep its name and its count of passes."""
    pairs: list[tuple[str, object, object]] = [
        ("model", model, board.model) for model in scores["model"].unique().sort()
    ]
    stats = stats_by_tier(scores)
    for scope, said in board.tiers.items():
        found = stats[scope]
        names = (name for name in TierStats.model_fields if name != "ci95")
        pairs += [(f"{scope} {name}", getattr(found, name), getattr(said, name)) for name in names]
    for what, here, there in pairs:
        if not _same(here, there):
            raise InputError(
                f"these are not the scores of the scoreboard: {what} is {here!r} here and {there!r} there",
                where=path,
                next_step=_AGAIN,
            )


def _same(here: object, there: object) -> bool:
    if isinstance(here, float) and isinstance(there, float):
        return math.isclose(here, there, rel_tol=1e-9, abs_tol=1e-9)
    return here == there


def _differences(a: Scored, b: Scored) -> list[str]:
    """Name what keeps two scoreboards from being compared."""
    first, second = a.board.eval_header, b.board.eval_header
    parts = {
        "file": (first.source_hash, second.source_hash),
        "seed": (first.seed, second.seed),
        "count": (first.item_count, second.item_count),
    }
    found = [f"{name} ({one} and {other})" for name, (one, other) in parts.items() if one != other]
    if not found and set(a.scores["item"]) != set(b.scores["item"]):
        only = [sorted(set(x.scores["item"]) - set(y.scores["item"])) for x, y in ((a, b), (b, a))]
        found = [f"bundles left out (only in A {only[0][:3]}, only in B {only[1][:3]})"]
    return found


def _refuse(a: Scored, b: Scored, differs: list[str]) -> None:
    same = a.fingerprint == b.fingerprint
    raise Refused(
        "these scoreboards cannot be compared: their "
        + ("fingerprints are equal, but not their bundles" if same else "fingerprints differ")
        + f"\n  A  EVAL_FINGERPRINT: {a.fingerprint}  {a.path}, of {a.board.eval_header.eval_path}"
        + f"\n  B  EVAL_FINGERPRINT: {b.fingerprint}  {b.path}, of {b.board.eval_header.eval_path}"
        + f"\nThey differ in {', '.join(differs)}",
        next_step=f"Score both on the same eval; {_ALLOW}",
    )


def _described(scored: Scored) -> Figures:
    board = scored.board
    return {
        "scoreboard": str(scored.path),
        "model": board.model,
        "checkpoint_path": board.checkpoint_path,
        **{name: getattr(board.eval_header, name) for name in ("eval_path", "fingerprint", "version")},
    }


def _notes(items: Figures, differs: list[str]) -> list[str]:
    notes = []
    if differs:
        notes.append(
            f"The evals differ in {', '.join(differs)}. Deltas are between all bundles of each; the "
            f"tests use the {items['shared']} that both have, of {items['a']} in A and {items['b']} in B, "
            "matched by id alone"
        )
    if items["moved"]:
        notes.append(
            f"{items['moved']} of {items['shared']} bundles are in another tier in B: tiers were cut by each "
            "model's own danger. A's tiers are used for both, so A fails in tier 3 by selection and B's gain "
            "there is overstated, as is its loss in tier 1. Store tiers in the eval for a fair comparison"
        )
    if items["reshaped"]:
        notes.append(f"{items['reshaped']} shared bundles have another number of negatives in B")
    return notes
