"""A pool of bundles cut in two without leaks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.near_texts import NearTexts, digest, equal_form, groups, lowest_hashes, words_form
from tellapart.bundles.reading import keep_lines, read_described
from tellapart.bundles.results import check_outs
from tellapart.bundles.scoring import TextNumbers
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import I64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.errors import InputError, UsageError
from tellapart.files import RowFaults, replacing


class PoolPart(Record):
    """One of two parts of a pool; bundles are of one group if their anchors are equal or nearly so."""

    path: str
    bundles: int
    anchors: int
    groups: int
    tier_distribution: dict[str, int]


class PoolSplit(Record):
    """What ``bundles pool split --json`` prints; ``dropped`` are bad rows that were left out, by cause."""

    train: PoolPart
    holdout: PoolPart
    share: float
    seed: int
    largest_group: int
    dropped: dict[str, int]


def split_pool(
    source: Path,
    train: Path,
    holdout: Path,
    *,
    share: float,
    seed: int,
    skip_invalid: bool = False,
    progress: Progress = SILENT,
) -> PoolSplit:
    """Cut a pool in two, so that no anchor of one part is in the other, or nearly.

    Bundles with equal or nearly equal anchors, directly or through others, stay together. The lowest hash of
    their anchors, with ``seed``, names a group, and the hash of that name says where it goes: on average
    ``share`` of the bundles go to ``train``, and a bundle stays where it is when the pool grows, but for
    anchors that connect groups.
    """
    if not 0 < share < 1:
        raise UsageError(f"--share is {share!r}, expected a share between 0 and 1, such as 0.8")
    check_outs([train, holdout], [source])
    for out in (train, holdout):
        if out.suffix.lower() == ".parquet":
            raise UsageError(
                "pools are written as JSON Lines",
                where=out,
                next_step="End its name in .jsonl, and turn it into Parquet with 'tellapart bundles convert'",
            )
    problems, lines = RowFaults(source), list[bytes]()
    empty = pl.DataFrame(schema={"anchor": pl.String, "tier": pl.String})
    with progress.step(f"reading {source.name}", None):
        batches = keep_lines(read_described(source, problems), lines)
        frame = pl.concat([empty, *(batch.select("anchor", "tier") for batch, _ in batches)])
    if not skip_invalid:
        problems.refuse()
    if frame.is_empty():
        raise InputError("no bundle is left to be split", where=source)
    with progress.step("comparing texts", None):
        group = _groups(frame["anchor"])
    in_train = _in_train(frame["anchor"], group, share, seed)
    if in_train.all() or not in_train.any():
        lacking = "holdout" if in_train.all() else "train"
        raise InputError(
            f"the {lacking} part would be empty: there are {len(np.unique(group))} groups of bundles",
            where=source,
            next_step="Use another --seed or --share",
        )
    for out, wanted in ((train, True), (holdout, False)):
        with replacing(out) as temporary, temporary.open("wb") as file:
            file.writelines(
                line + b"\n" for line, is_train in zip(lines, in_train, strict=True) if is_train == wanted
            )
    sizes = np.unique(group, return_counts=True)[1]
    return PoolSplit(
        train=_part(train, frame.filter(pl.Series(in_train)), group[in_train]),
        holdout=_part(holdout, frame.filter(pl.Series(~in_train)), group[~in_train]),
        share=share,
        seed=seed,
        largest_group=int(sizes.max()),
        dropped=dict(problems.counts),
    )


def _groups(anchors: pl.Series) -> I64:
    """Of each bundle the number of its group, shape (bundles,)."""
    texts = TextNumbers()
    numbers = texts.number(anchors)
    forms = TextNumbers()
    of_text = forms.number(pl.Series(map(words_form, texts.texts), dtype=pl.String))
    return groups(len(forms), NearTexts(forms.texts).pairs)[of_text[numbers]]


def _in_train(anchors: pl.Series, group: I64, share: float, seed: int) -> NDArray[np.bool_]:
    # The lowest of many hashes is low: it names the group, and its own hash says where the group goes.
    limit = int(share * (1 << 64))
    lowest = lowest_hashes((f"{seed}\0{equal_form(anchor)}" for anchor in anchors), group)
    places = {number: int.from_bytes(digest(name)) < limit for number, name in lowest.items()}
    return np.array([places[number] for number in group.tolist()], dtype=np.bool_)


def _part(path: Path, frame: pl.DataFrame, group: I64) -> PoolPart:
    tiers = Counter(tier for tier in frame["tier"] if tier is not None)
    return PoolPart(
        path=str(path),
        bundles=frame.height,
        anchors=frame["anchor"].n_unique(),
        groups=len(np.unique(group)),
        tier_distribution={tier: tiers[tier] for tier in TIERS},
    )
