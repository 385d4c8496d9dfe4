"""Scoreboards with the scores that they sum up, and several of them as one table of scores."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from tellapart.bundles.cautions import is_own_cut, model_cautions
from tellapart.bundles.reading import read_batches
from tellapart.bundles.results import Scoreboard, is_recorded, read_scoreboard, scores_hash, scores_path
from tellapart.bundles.scoring import SCORE_SCHEMA
from tellapart.bundles.tier_names import TIERS
from tellapart.core.fingerprint import Fingerprint
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, Refused, TellapartError
from tellapart.files import RowFaults, read_json, sha256_of
from tellapart.report.numbers import listed
from tellapart.store import names_of_runs, read_frame, read_notes

_AGAIN = "Score the eval again with 'tellapart bundles score'"
_ALLOW = (
    "Score one eval with each model; to look at them all the same, add --allow-fingerprint-mismatch, which "
    "marks the result exploratory"
)
_SHOWN = 3

MOST_BUNDLES = 50_000
"""Of a larger eval no page has room for the texts."""

_ANCHOR_CHARACTERS = 200
"""Of an anchor, so many are kept."""


@dataclass(frozen=True)
class Scored:
    """A scoreboard with the scores that it sums up: rows of ``SCORE_SCHEMA``."""

    path: Path
    board: Scoreboard
    scores: pl.DataFrame
    notes: ScoreNotes

    @property
    def fingerprint(self) -> str:
        """Of the eval."""
        return self.board.eval_header.fingerprint

    @cached_property
    def is_own_cut(self) -> bool:
        """Whether the tiers were cut by this model's own margins."""
        return is_own_cut(self.scores)


@dataclass(frozen=True)
class Boards:
    """Scoreboards to be held against each other, in the order given.

    ``labels`` are their models, or ``model (file)`` where two are of one model. ``mismatch`` says what keeps
    them from being of one eval; it is empty where they are.
    """

    boards: tuple[Scored, ...]
    labels: tuple[str, ...]
    mismatch: str = ""

    def __iter__(self) -> Iterator[tuple[str, Scored]]:
        """Each scoreboard with what tables call it."""
        return zip(self.labels, self.boards, strict=True)

    @property
    def is_exploratory(self) -> bool:
        """Whether they are of different evals, or of different bundles of one."""
        return bool(self.mismatch)

    @cached_property
    def moved(self) -> int:
        """Bundles of the first board that another one puts in another tier."""
        first = self.boards[0].scores.select("item")
        tiers = pl.concat(scored.scores.select("item", "tier") for scored in self.boards)
        tiers = tiers.join(first, on="item", how="semi")
        return tiers.group_by("item").agg(pl.col("tier").n_unique()).filter(pl.col("tier") > 1).height

    @cached_property
    def table(self) -> ScoreTable:
        """All scores as one table: what an audit reads from the same files, with further cautions."""
        return self.table_with([])

    def table_with(self, columns: Sequence[pl.Series]) -> ScoreTable:
        """The same with a column more, given for each board.

        Of different evals, a bundle has the source, and the value of the column, of the first board with it.
        """
        frames = [
            scored.scores.select(SCORE_SCHEMA.names()).with_columns(*columns[i : i + 1], model=pl.lit(label))
            for i, (scored, label) in enumerate(zip(self.boards, self.labels, strict=True))
        ]
        joined = pl.concat(frames)
        if self.is_exploratory:
            by_item = {"cluster", *(column.name for column in columns)}
            joined = joined.with_columns(pl.col(*by_item).first().over("item"))
        notes = ScoreNotes.together(scored.notes for scored in self.boards)
        alone = {text for one in self.boards for text in model_cautions({one.board.model: one.scores})}
        together = model_cautions({label: scored.scores for label, scored in self})
        others = (text for text in notes.cautions if text not in alone)
        cautions = tuple(dict.fromkeys((*self.cautions(), *together, *others)))
        return ScoreTable.from_frame(joined, notes=notes.model_copy(update={"cautions": cautions}))

    def cautions(self) -> Iterator[str]:
        """Say what decides how much a comparison of these boards is worth, a sentence each."""
        first = self.boards[0]
        if self.is_exploratory:
            sizes = " and ".join(f"{scored.scores.height:,}" for scored in self.boards)
            yield (
                f"the evals differ in {self.mismatch}: models are compared on the bundles that both have, "
                f"matched by id alone, of {sizes}"
            )
        if self.moved:
            yield (
                f"{self.moved:,} of {first.scores.height:,} bundles are in different tiers on different "
                "scoreboards, cut by each model's own danger, so a tier is not the same bundles for all and "
                "models are not compared by tier; cut them once with 'tellapart bundles tier'"
            )
            return
        for tier in TIERS:
            n = first.board.by_tier[tier].n
            if len(self.boards) > 1 and n and not any(of.board.by_tier[tier].correct for of in self.boards):
                yield (
                    f"no model passes any of the {n:,} bundles of {tier}: it separates no models, and a gate "
                    "on it cannot fail"
                )


def load_boards(paths: Sequence[Path], *, allow_fingerprint_mismatch: bool = False) -> Boards:
    """Read scoreboards and their scores."""
    boards = tuple(load_scored(path) for path in paths)
    mismatch = _fingerprints_differ(boards)
    left_out = "" if mismatch else _bundles_differ(boards)
    if mismatch and not allow_fingerprint_mismatch:
        shown = "".join(
            f"\n  EVAL_FINGERPRINT: {scored.fingerprint}  {scored.path}, "
            f"of {scored.board.eval_header.eval_path}"
            for scored in boards
        )
        raise Refused(
            f"these scoreboards are of different evals{shown}\nThey differ in {mismatch}", next_step=_ALLOW
        )
    if left_out and not allow_fingerprint_mismatch:
        raise Refused(
            f"the fingerprints of these scoreboards are equal, but not their bundles{left_out}\n",
            next_step=f"Leave the same bundles out for each model. {_ALLOW}",
        )
    labels = names_of_runs([scored.board.model for scored in boards], [scored.path for scored in boards])
    return Boards(boards, labels, mismatch or ("the bundles that were left out" if left_out else ""))


def load_scored(path: Path) -> Scored:
    """Read a scoreboard and the scores beside it."""
    value = read_json(path)
    if isinstance(value, dict) and is_recorded(value):
        raise InputError(
            "another program recorded this without the scores of bundles",
            where=path,
            next_step=f"Compare the recorded runs: tellapart bundles seeds {shlex.quote(str(path))}",
        )
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
    if scores_hash(beside) != board.scores_hash:
        raise InputError(
            f"these are not the scores that {path.name} was written with", where=beside, next_step=_AGAIN
        )
    return Scored(path, board, read_frame(beside), read_notes(beside))


def _fingerprints_differ(boards: Sequence[Scored]) -> str:
    """Name the parts in which fingerprints differ."""
    headers = [scored.board.eval_header for scored in boards]
    parts = {
        "file": [header.source_hash for header in headers],
        "seed": [str(header.seed) for header in headers],
        "count": [str(header.item_count) for header in headers],
    }
    return ", ".join(
        f"{name} ({' and '.join(dict.fromkeys(values))})"
        for name, values in parts.items()
        if len(set(values)) > 1
    )


def _bundles_differ(boards: Sequence[Scored]) -> str:
    """Say which bundles only one of two boards has; rows may have been left out of one of them."""
    first = boards[0]
    for other in boards[1:]:
        items = [set(scored.scores["item"]) for scored in (first, other)]
        if items[0] != items[1]:
            only = [sorted(items[0] - items[1]), sorted(items[1] - items[0])]
            return "".join(
                f"\n  only in {scored.path}: {listed([*map(repr, names)], most=_SHOWN) if names else 'none'}"
                for scored, names in zip((first, other), only, strict=True)
            )
    return ""


def eval_texts(scored: Scored, items: Sequence[str] | None = None) -> pl.DataFrame | None:
    """Read the texts of some or all bundles; None where they are too many, or the eval has changed."""
    header = scored.board.eval_header
    if items is None and header.item_count > MOST_BUNDLES:
        return None
    wanted = pl.lit(True)
    if items is not None:
        wanted = pl.col("bundle_id").is_in(pl.Series(sorted(items), dtype=pl.String).implode())
    for path in (Path(header.eval_path), scored.path.parent / Path(header.eval_path).name):
        if path.is_file() and sha256_of(path)[:16] == header.source_hash:
            return pl.concat([batch.filter(wanted) for batch in read_batches(path, RowFaults(path))])
    return None


def anchor_texts(scored: Scored, items: Sequence[str]) -> dict[str, str]:
    """Give the beginnings of the anchors of some bundles, by id."""
    try:
        texts = eval_texts(scored, items) if items else None
    except TellapartError:
        # Texts are a convenience: an eval that cannot be read any more keeps no comparison from being made.
        texts = None
    if texts is None:
        return {}
    return {
        item: " ".join(anchor[:_ANCHOR_CHARACTERS].split())
        for item, anchor in texts.select("bundle_id", "anchor").iter_rows()
    }
