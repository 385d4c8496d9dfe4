"""Pools of bundles: one cut in two without leaks, several put together without duplicates."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.lint import BundleFinding, LintedBundles, read_inputs
from tellapart.bundles.lint.answers import second_right_answer
from tellapart.bundles.lint.duplicates import conflicting_tiers, duplicate_bundles, near_duplicates
from tellapart.bundles.outputs import check_outs
from tellapart.bundles.reading import read_batches, read_bundles, read_unchecked
from tellapart.bundles.results import MergedPool, PoolPart, PoolSplit
from tellapart.bundles.row_export import own_rows, write_json_lines
from tellapart.bundles.scoring import TextNumbers
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import I64
from tellapart.core.bundle import Bundle
from tellapart.core.near_duplicates import NearTexts, equal_form, groups, near_form
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError, UsageError
from tellapart.files import RowFaults, replacing

_SHOWN = 10

_Place = tuple[int, int, str]
"""File, line and id."""


class SplitBy(StrEnum):
    """What the two parts of a pool must not share."""

    ANCHOR = "anchor"
    TEXT = "text"


def split_pool(
    source: Path,
    train: Path,
    holdout: Path,
    *,
    share: float,
    seed: int,
    by: SplitBy = SplitBy.ANCHOR,
    skip_invalid: bool = False,
    progress: Progress = SILENT,
) -> PoolSplit:
    """Cut a pool in two, so that no anchor of one part is in the other, or nearly.

    Bundles whose anchors are equal or nearly equal, directly or through others, stay together. A group is
    named by the lowest hash of its anchors, with ``seed``. It goes to ``train`` if the hash of that name
    lies in the first ``share`` of the range. So the parts depend on neither the order nor the number of
    bundles: a bundle stays where it is when the pool grows, unless a new anchor renames its group or connects
    it to another. The shares are met on average, not exactly.
    """
    if not 0 < share < 1:
        raise UsageError(f"--share is {share!r}, expected a share between 0 and 1, such as 0.8")
    check_outs([train, holdout], [source])
    _check_suffix(train, holdout)
    problems = RowFaults(source)
    with progress.step(f"reading {source.name}", None):
        frame = pl.concat([_needed(batch) for batch in read_batches(source, problems)] or [_needed()])
    if not skip_invalid:
        problems.refuse()
    if frame.is_empty():
        raise InputError("no bundle is left to be split", where=source)
    with progress.step("comparing texts", None):
        group = _groups(frame, by)
    in_train = _in_train(frame["anchor"], group, share, seed)
    if in_train.all() or not in_train.any():
        empty = "holdout" if in_train.all() else "train"
        raise InputError(
            f"the {empty} part would be empty: there are {len(np.unique(group))} groups of bundles",
            where=source,
            next_step="Use another --seed or --share" + (", or --by anchor" if by is SplitBy.TEXT else ""),
        )
    for out, wanted in ((train, True), (holdout, False)):
        chosen = (
            bundle
            for bundle, is_train in zip(read_bundles(source, RowFaults(source)), in_train, strict=True)
            if is_train == wanted
        )
        with replacing(out) as temporary:
            write_json_lines(temporary, own_rows(chosen))
    sizes = np.unique(group, return_counts=True)[1]
    return PoolSplit(
        train=_part(train, frame.filter(pl.Series(in_train)), group[in_train]),
        holdout=_part(holdout, frame.filter(pl.Series(~in_train)), group[~in_train]),
        share=share,
        seed=seed,
        by=by.value,
        largest_group=int(sizes.max()),
        dropped=dict(problems.counts),
    )


def _needed(batch: pl.DataFrame | None = None) -> pl.DataFrame:
    names = ("anchor", "positive", "tier")
    return pl.DataFrame(schema=dict.fromkeys(names, pl.String)) if batch is None else batch.select(names)


def _groups(frame: pl.DataFrame, by: SplitBy) -> I64:
    """Of each bundle the number of its group, shape (bundles,)."""
    forms = TextNumbers()

    def number(column: pl.Series) -> I64:
        distinct = column.unique(maintain_order=True)
        near = pl.DataFrame({"text": distinct, "near": [near_form(text) for text in distinct]})
        joined = column.to_frame("text").join(near, on="text", how="left", maintain_order="left")
        return forms.number(joined["near"]).astype(np.int64)

    anchors = number(frame["anchor"])
    linked = [anchors]
    if by is SplitBy.TEXT:
        linked.append(number(frame["positive"]))
    texts = NearTexts(forms.texts)
    beside = np.stack([linked[0], linked[-1]], axis=1)
    return groups(len(forms), np.concatenate([texts.pairs, beside]))[anchors]


def _in_train(anchors: pl.Series, group: I64, share: float, seed: int) -> NDArray[np.bool_]:
    lowest: dict[int, bytes] = {}
    known: dict[str, bytes] = {}
    for anchor, number in zip(anchors, group.tolist(), strict=True):
        if anchor not in known:
            known[anchor] = _digest(f"{seed}\0{equal_form(anchor)}".encode("utf-8", "surrogatepass"))
        lowest[number] = min(lowest.get(number, known[anchor]), known[anchor])
    # The lowest of many hashes is low: it names the group, and its own hash says where the group goes.
    limit = int(share * (1 << 64))
    places = {number: int.from_bytes(_digest(name)) < limit for number, name in lowest.items()}
    return np.array([places[number] for number in group.tolist()], dtype=np.bool_)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).digest()


def _part(path: Path, frame: pl.DataFrame, group: I64) -> PoolPart:
    tiers = Counter(tier for tier in frame["tier"] if tier is not None)
    return PoolPart(
        path=str(path),
        bundles=frame.height,
        anchors=frame["anchor"].n_unique(),
        groups=len(np.unique(group)),
        tier_distribution={tier: tiers[tier] for tier in TIERS},
    )


def merge_pools(
    sources: Sequence[Path],
    out: Path,
    *,
    drop_near: bool = False,
    drop_conflicting: bool = False,
    skip_invalid: bool = False,
    progress: Progress = SILENT,
) -> MergedPool:
    """Put pools together, each bundle once.

    Bundles are the same if anchor, positive and set of negatives are equal but for case, white space and
    Unicode; the first is kept, with the tier of the others where it has none. Only what can be used, and
    contradicts nothing, makes another one a duplicate. A bundle whose id an
    earlier one has becomes ``FILE:ID``, with the name of its file without suffix.
    """
    check_outs([out], sources)
    _check_suffix(out)
    problems = [RowFaults(source) for source in sources]
    for source, of_file in zip(sources, problems, strict=True):
        for _ in read_batches(source, of_file):
            pass
        if not skip_invalid:
            of_file.refuse()
    inputs = read_inputs(sources, progress=progress)
    inputs = inputs.only(inputs.sound)
    causes: dict[_Place, str] = {}

    def without(of: LintedBundles, found: dict[int, str]) -> LintedBundles:
        gone = np.isin(np.arange(of.bundles.height), list(found))
        places = _places(of)
        causes.update({places[row]: cause for row, cause in found.items()})
        return of.only(~gone)

    with progress.step("comparing bundles", None):
        in_tiers = list(conflicting_tiers(inputs))
        labels = [one for one in second_right_answer(inputs) if one.severity == "error"]
        if not drop_conflicting:
            _refuse([(one, inputs.place(one.rows[0])) for one in (*in_tiers, *labels)], sources)
        conflicts = dict.fromkeys(_contradicting(inputs, labels), "conflicting labels")
        conflicts |= {row: "conflicting tiers" for one in in_tiers for row in one.rows}
        # What goes makes nothing else a duplicate: of each bundle that does not contradict, one stays.
        staying = without(inputs, conflicts)
        duplicates = list(duplicate_bundles(staying))
        filled = _filled_tiers(staying, duplicates)
        staying = without(staying, _bad(duplicates, "duplicate"))
        if drop_near:
            without(staying, _bad(near_duplicates(staying), "near duplicate"))
    renamed = Counter[str]()
    kept = _unique_ids(_kept(sources, causes.keys(), filled), sources, renamed)
    first = next(kept, None)
    if first is None:
        raise InputError("no bundle is left to be written", where=out)
    counted = Counter[str]()
    left_out = Counter(causes.values())
    for of_file in problems:
        left_out.update(of_file.counts)
    with replacing(out) as temporary:
        write_json_lines(temporary, own_rows(_counted(chain([first], kept), counted)))
    return MergedPool(
        path=str(out),
        bundles=counted["bundles"],
        read={str(source): n for source, n in zip(sources, inputs.counts, strict=True)},
        dropped=dict(sorted(left_out.items())),
        renamed=renamed["ids"],
        tiers_filled=len(filled),
    )


def _bad(findings: Iterable[BundleFinding], cause: str) -> dict[int, str]:
    return {row: cause for one in findings for row in one.bad or ()}


def _contradicting(inputs: LintedBundles, labels: Sequence[BundleFinding]) -> set[int]:
    """Bundles with a negative that is right in others, and all of these others."""
    equal = inputs.forms.equal
    pairs = list(zip(equal[inputs.anchors].tolist(), equal[inputs.positives].tolist(), strict=True))
    right = {pairs[one.rows[1]] for one in labels}
    return {one.rows[0] for one in labels} | {row for row, pair in enumerate(pairs) if pair in right}


def _filled_tiers(inputs: LintedBundles, duplicates: Sequence[BundleFinding]) -> dict[_Place, str]:
    """The tiers of duplicates for those that stay without."""
    tiers, places = inputs.bundles["tier"].to_list(), _places(inputs)
    known = ((one.rows[0], [tiers[row] for row in one.rows if tiers[row] is not None]) for one in duplicates)
    return {places[row]: of[0] for row, of in known if tiers[row] is None and of}


def _places(inputs: LintedBundles) -> list[_Place]:
    return inputs.bundles.select("file", "line", "bundle_id").rows()


def _refuse(conflicts: Sequence[tuple[BundleFinding, str]], sources: Sequence[Path]) -> None:
    if not conflicts:
        return
    shown = [f"{place}: {one.check}, {one.detail}" for one, place in conflicts[:_SHOWN]]
    rest = len(conflicts) - len(shown)
    raise InputError(
        "\n".join(
            [
                f"{len(conflicts)} contradiction(s) between bundles",
                *shown,
                *([f"and {rest:,} more"] if rest else []),
            ]
        ),
        where=", ".join(map(str, sources)),
        next_step="Correct them, or leave out all bundles concerned with --drop-conflicting",
    )


def _kept(
    sources: Sequence[Path], dropped: Set[_Place], tiers: dict[_Place, str]
) -> Iterator[tuple[int, Bundle]]:
    for file, source in enumerate(sources):
        for batch in read_unchecked(source, RowFaults(source)):
            for line, row, tier, sound in zip(
                batch.frame["line"], batch.rows, batch.frame["tier"], batch.sound, strict=True
            ):
                place = file, line, row["bundle_id"]
                if sound and place not in dropped:
                    yield file, Bundle.from_row({**row, "tier": tiers.get(place, tier)})


def _unique_ids(
    bundles: Iterator[tuple[int, Bundle]], sources: Sequence[Path], renamed: Counter[str]
) -> Iterator[Bundle]:
    taken = set[str]()
    for file, bundle in bundles:
        name, number = bundle.bundle_id, 1
        while name in taken:
            name = f"{sources[file].stem}:{bundle.bundle_id}" + (f"-{number}" if number > 1 else "")
            number += 1
        taken.add(name)
        renamed["ids"] += name != bundle.bundle_id
        yield bundle if name == bundle.bundle_id else replace(bundle, bundle_id=name)


def _counted(bundles: Iterator[Bundle], counted: Counter[str]) -> Iterator[Bundle]:
    for bundle in bundles:
        counted["bundles"] += 1
        yield bundle


def _check_suffix(*outs: Path) -> None:
    for out in outs:
        if out.suffix.lower() == ".parquet":
            raise UsageError(
                "pools are written as JSON Lines",
                where=out,
                next_step="End its name in .jsonl, and turn it into Parquet with 'tellapart bundles convert'",
            )
