"""Scoreboards as they were stored, with the scores of each bundle beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.errors import InputError, Refused
from tellapart.report.bundles.belonging import bundles_differ, check_pair, refuse_bundles
from tellapart.store import read_frame

ADVERSARIAL = "tier3_adversarial"
OVERALL = "overall"

CUT_FROM = 10
"""Fewer bundles than this can be in the order of their margins by chance."""

_COLUMNS = {"item": pl.String, "tier": pl.String, "margin": pl.Float64, "rank": pl.Int64}
_CLUSTER, _MODEL = "cluster", "model"
_FIELDS = ("eval_header", "model", "overall", "by_tier", "tellapart_version")
_MAKE = "Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'"

Figures = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Board:
    """A model on an eval.

    Attributes:
        label: What tables call it; unique in a report.
        path: Of its scoreboard.
        figures: What the scoreboard says.
        scores: One row a bundle: ``item``, ``tier``, ``margin``, ``rank`` and ``cluster`` as a number.
    """

    label: str
    path: Path
    figures: Figures
    scores: pl.DataFrame

    @property
    def fingerprint(self) -> str:
        """Of the eval."""
        return str(self.figures["eval_header"]["fingerprint"])

    @property
    def tiers(self) -> Figures:
        """``overall`` and then each tier."""
        return {OVERALL: self.figures["overall"], **self.figures["by_tier"]}

    @cached_property
    def own_cut(self) -> bool:
        """Whether the tiers lie one below the other in this model's own margins.

        Then they were cut by its own danger, and its pass rate in a tier follows from the cut.
        """
        tiers = [self.margins(tier) for tier in self.figures["by_tier"]]
        found = [margins for margins in tiers if len(margins)]
        if len(found) < 2 or self.scores.height < CUT_FROM:
            return False
        return all(easy[0] >= hard[-1] for easy, hard in zip(found, found[1:], strict=False))

    def margins(self, tier: str) -> NDArray[np.float64]:
        """Margins of a tier's bundles, or of all, in ascending order."""
        return self._sorted(tier, "margin")

    def ranks(self, tier: str) -> NDArray[np.int64]:
        """Ranks of a tier's bundles, or of all, in ascending order."""
        return self._sorted(tier, "rank")

    @cached_property
    def largest(self) -> float:
        """The largest size of a margin, whatever its sign; 0 without bundles."""
        margins = self.margins(OVERALL)
        return float(max(abs(margins[0]), abs(margins[-1]))) if len(margins) else 0.0

    @cached_property
    def typical(self) -> float:
        """The median size of a margin, whatever its sign; 0 without bundles."""
        margins = self.margins(OVERALL)
        return float(np.median(np.abs(margins))) if len(margins) else 0.0

    @cached_property
    def _kept(self) -> dict[tuple[str, str], NDArray[Any]]:
        return {}

    def _sorted(self, tier: str, column: str) -> NDArray[Any]:
        # Sorted once: with millions of bundles that is what takes the time.
        if (tier, column) not in self._kept:
            rows = self.scores if tier == OVERALL else self.scores.filter(pl.col("tier") == tier)
            self._kept[tier, column] = np.sort(rows[column].to_numpy())
        return self._kept[tier, column]


@dataclass(frozen=True, eq=False)
class View:
    """Scoreboards to be reported.

    Attributes:
        boards: At least one, in the order asked for.
        exploratory: Whether they are of different evals, or of different bundles of one.
    """

    boards: tuple[Board, ...]
    exploratory: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the boards."""
        return tuple(board.label for board in self.boards)

    @property
    def tiers(self) -> tuple[str, ...]:
        """Names of the tiers, the easiest first."""
        return tuple(dict.fromkeys(tier for board in self.boards for tier in board.figures["by_tier"]))

    @cached_property
    def shared(self) -> pl.DataFrame:
        """One row a bundle that all boards have: ``item``, ``cluster``, ``tier_i`` and ``margin_i``."""
        first = self.boards[0].scores
        found = first.select("item", "cluster", tier_0="tier", margin_0="margin")
        for i, board in enumerate(self.boards[1:], start=1):
            other = board.scores.select("item", **{f"tier_{i}": "tier", f"margin_{i}": "margin"})
            if other["item"].equals(first["item"]) and found.height == first.height:
                found = found.hstack(other.drop("item"))
            else:
                found = found.join(other, on="item", how="inner", maintain_order="left")
        return found

    @cached_property
    def moved(self) -> int:
        """Bundles that two boards put in different tiers."""
        others = range(1, len(self.boards))
        differs = [pl.col("tier_0").ne_missing(pl.col(f"tier_{i}")) for i in others]
        return self.shared.filter(pl.any_horizontal(differs)).height if differs else 0

    @cached_property
    def scope(self) -> str:
        """Where models are compared: the adversarial tier, or all bundles where it would mislead."""
        usable = ADVERSARIAL in self.tiers and all(_n(board, ADVERSARIAL) for board in self.boards)
        by_itself = all(board.own_cut for board in self.boards)
        return ADVERSARIAL if usable and not self.moved and not by_itself else OVERALL


def load(paths: Sequence[Path], *, allow_fingerprint_mismatch: bool = False) -> View:
    """Read scoreboards and their scores.

    Args:
        paths: Of the scoreboards, at least one.
        allow_fingerprint_mismatch: Go on where the evals differ; the report is then exploratory.

    Raises:
        InputError: A scoreboard or its scores are missing, damaged, or do not belong together.
        Refused: The evals differ, or one scoreboard leaves out bundles that another of its eval has.
    """
    figures = [_read_board(path) for path in paths]
    fingerprints = [found["eval_header"]["fingerprint"] for found in figures]
    differ = len(set(fingerprints)) > 1
    if differ and not allow_fingerprint_mismatch:
        _refuse(paths, fingerprints)
    boards = [
        Board(label, path, found, _read_scores(path, found))
        for label, path, found in zip(_labels(paths, figures), paths, figures, strict=True)
    ]
    left_out = bundles_differ(paths, fingerprints, [board.scores for board in boards])
    if left_out and not allow_fingerprint_mismatch:
        refuse_bundles(left_out)
    return View(tuple(boards), exploratory=differ or bool(left_out))


def read_json(path: Path, what: str, fields: Sequence[str], make: str) -> Figures:
    """Read a JSON object that a suite has written.

    Args:
        path: Of the file.
        what: What it should be.
        fields: What it must have.
        make: How to make one.

    Raises:
        InputError: It is missing, damaged or something else.
    """
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read this {what}: {error.strerror}", where=path, next_step=make) from None
    except ValueError as error:
        raise InputError(f"no {what}, this is no JSON: {error}", where=path, next_step=make) from None
    if not isinstance(found, dict):
        raise InputError(f"no {what}: got {type(found).__name__}", where=path, next_step=make)
    missing = [name for name in fields if name not in found]
    if missing:
        raise InputError(f"no {what}: field {missing[0]!r} is missing", where=path, next_step=make)
    return found


def _read_board(path: Path) -> Figures:
    found = read_json(path, "scoreboard", _FIELDS, _MAKE)
    for field in ("eval_header", "overall", "by_tier"):
        if not isinstance(found[field], dict):
            raise InputError(
                f"no scoreboard: {field!r} is {found[field]!r}, expected an object",
                where=path,
                next_step=_MAKE,
            )
    return found


def _read_scores(path: Path, figures: Figures) -> pl.DataFrame:
    beside = path.with_name(f"{path.stem}.scores.parquet")
    if not beside.exists():
        raise InputError(
            f"the scores of each bundle are missing: there is no {beside.name!r} beside it",
            where=path,
            next_step="Score the eval again with 'tellapart bundles score'; copy the two files together",
        )
    scores = read_frame(beside, [*_COLUMNS, _CLUSTER, _MODEL])
    for name, kind in _COLUMNS.items():
        if scores.schema[name] != kind:
            raise InputError(f"column {name!r} is {scores.schema[name]}, expected {kind()}", where=beside)
    said = figures["overall"].get("n")
    if scores.height != said:
        raise InputError(f"{scores.height} rows, but {path.name} is of {said!r} bundles", where=beside)
    check_pair(beside, scores, figures)
    # Names of clusters take more memory than all figures together; only who is with whom matters here.
    with_item = pl.col(_CLUSTER).fill_null(pl.col("item"))
    return scores.drop(_MODEL).with_columns(with_item.rank("dense").cast(pl.Int64).alias(_CLUSTER))


def _refuse(paths: Sequence[Path], fingerprints: Sequence[str]) -> None:
    shown = "".join(
        f"\n  EVAL_FINGERPRINT: {fingerprint}  {path}"
        for path, fingerprint in zip(paths, fingerprints, strict=True)
    )
    raise Refused(
        f"these scoreboards are of different evals{shown}",
        next_step="Score one eval with each model; to look at them all the same, add "
        "--allow-fingerprint-mismatch, which marks the report exploratory",
    )


def _labels(paths: Sequence[Path], figures: Sequence[Figures]) -> list[str]:
    """Names of the models, with the file where two have the same, and a number where even that is so."""
    models = [str(found["model"]) for found in figures]
    twice = {name for name, times in Counter(models).items() if times > 1}
    labels = [
        f"{name} ({path.stem})" if name in twice else name for name, path in zip(models, paths, strict=True)
    ]
    return [
        f"{label} #{labels[: i + 1].count(label)}" if labels.count(label) > 1 else label
        for i, label in enumerate(labels)
    ]


def _n(board: Board, tier: str) -> int:
    return int(board.tiers.get(tier, {}).get("n", 0))
