"""The checks that look at the rows and at the texts of bundles, and all checks together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.bundles.lint.baselines import baselines
from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles, read_inputs
from tellapart.bundles.lint.leakage import leakage
from tellapart.core.progress import SILENT, Progress
from tellapart.core.severity import SEVERITIES, Severity
from tellapart.report import numbers as show

_ODD = 0.1
"""Share of a file above which bundles are not the odd ones out."""

_CHECKS = {"duplicate id": "duplicate-id", "positive among the negatives": ""}
"""The check that a cause of the reader belongs to; none where a check of its own finds more."""


def row_faults(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find rows that no other command reads, and ids that a file has twice."""
    at: dict[tuple[int, int], list[int]] = {}
    lines = {fault.line for fault in inputs.faults}
    concerned = inputs.bundles.with_row_index("row").filter(pl.col("line").is_in(lines))
    for row, file, line in concerned.select("row", "file", "line").iter_rows():
        at.setdefault((file, line), []).append(row)
    for fault in sorted(inputs.faults, key=lambda fault: (fault.file, fault.line)):
        check = _CHECKS.get(fault.cause, "unreadable")
        if check:
            detail = f"{fault.field}: {fault.cause}{fault.detail and f', {fault.detail}'}"
            place = f"{inputs.files[fault.file]}:{fault.line}"
            yield inputs.finding(check, "error", detail, at.get((fault.file, fault.line), []), place)


def ids_of_several_files(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find ids that bundles of several files have."""
    shared = (
        inputs.bundles.with_row_index("row")
        # A line's number, which rows without an id have, means nothing in another file.
        .filter(pl.col("bundle_id").str.split(".").list.first() != pl.col("line").cast(pl.String))
        .group_by("bundle_id", maintain_order=True)
        .agg("row", files=pl.col("file").n_unique())
        .filter(pl.col("files") > 1)
    )
    for bundle_id, rows, files in shared.iter_rows():
        detail = f"{files} of the files have a bundle {bundle_id!r}"
        yield inputs.finding("duplicate-id", "warning", detail, rows)


def right_answers(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find negatives that equal their positive or nearly do, or are one of the same anchor elsewhere."""
    forms = inputs.forms
    negatives = pl.DataFrame(
        {
            "place": np.arange(len(inputs.owners)),
            "row": inputs.owners,
            "anchor": forms.equal[inputs.anchors[inputs.owners]],
            "near_anchor": forms.near[inputs.anchors[inputs.owners]],
            "text": forms.equal[inputs.negative_texts],
            "near_text": forms.near[inputs.negative_texts],
            "positive": forms.equal[inputs.positives[inputs.owners]],
            "near_positive": forms.near[inputs.positives[inputs.owners]],
        }
    )
    first = np.searchsorted(inputs.owners, inputs.owners)

    def finding(at: int, check: str, severity: Severity, what: str, *others: int) -> BundleFinding:
        quote = inputs.quote(int(inputs.negative_texts[at]))
        detail = f"negatives[{at - first[at]}] {what}: {quote}"
        return inputs.finding(check, severity, detail, [int(inputs.owners[at]), *others])

    same = negatives.filter(pl.col("text") == pl.col("positive")).unique("row", maintain_order=True)
    for at in same["place"]:
        is_copy = inputs.negative_texts[at] == inputs.positives[inputs.owners[at]]
        how = "" if is_copy else " but for case, white space or Unicode"
        yield finding(at, "positive-among-negatives", "error", f"equals the positive{how}")
    other = negatives.filter(pl.col("text") != pl.col("positive"))
    own = other.join(
        forms.near_pairs,
        left_on=["near_text", "near_positive"],
        right_on=["a", "b"],
        how="semi",
        maintain_order="left",
    )
    for at in own["place"]:
        yield finding(at, "second-right-answer", "warning", "is nearly the positive")
    for at, owner, is_same in _of_another_bundle(inputs, other):
        if is_same or at not in own["place"]:
            nearly, name = ("" if is_same else "nearly "), inputs.bundles["bundle_id"][owner]
            what = f"is {nearly}the positive of {nearly}the same anchor in {name!r}"
            yield finding(at, "second-right-answer", "error" if is_same else "warning", what, owner)


def _of_another_bundle(inputs: LintedBundles, negatives: pl.DataFrame) -> Iterator[tuple[int, int, bool]]:
    """Negatives that are the positive of their anchor elsewhere: where, and whether both texts are equal."""
    forms = inputs.forms
    right = pl.DataFrame(
        {
            "owner": np.arange(inputs.bundles.height),
            "anchor_right": forms.equal[inputs.anchors],
            "near_anchor": forms.near[inputs.anchors],
            "text_right": forms.equal[inputs.positives],
            "b": forms.near[inputs.positives],
        }
    ).unique(["anchor_right", "text_right"], keep="first", maintain_order=True)
    # Texts that are near a positive come first: of them, few are candidates of one and the same anchor.
    near = right.select("b").unique().join(forms.near_pairs, on="b")
    alike = negatives.join(near, left_on="near_text", right_on="a").join(right, on=["near_anchor", "b"])
    is_same = (pl.col("text") == pl.col("text_right")) & (pl.col("anchor") == pl.col("anchor_right"))
    found = alike.select("place", "owner", is_same=is_same).sort(
        "place", "is_same", "owner", descending=[False, True, False]
    )
    yield from found.unique("place", keep="first", maintain_order=True).iter_rows()


def few_negatives(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles with fewer than half as many negatives as most of their file: they are easier."""
    distinct = pl.DataFrame(
        {"row": inputs.owners, "text": inputs.forms.equal[inputs.negative_texts]}
    ).unique()
    counts = np.bincount(distinct["row"].to_numpy(), minlength=inputs.bundles.height)
    files = inputs.bundles["file"].to_numpy()
    for file, path in enumerate(inputs.files):
        rows = np.flatnonzero(files == file)
        usual = int(np.median(counts[rows])) if len(rows) else 0
        few = rows[(counts[rows] * 2 < usual) & (counts[rows] > 0)]
        if len(few) > _ODD * len(rows):
            listed = show.listed([str(n) for n in np.unique(counts[rows])])
            detail = (
                f"bundles have {listed} negatives: {show.count(len(few))} of {show.count(len(rows))} have "
                "fewer than half as many as most, and are easier"
            )
            yield inputs.finding("few-negatives", "info", detail, place=str(path))
            continue
        for row in few.tolist():
            n = int(counts[row])
            detail = (
                f"{show.plural(n, 'distinct negative')}, where most bundles have {usual}: chance is "
                f"{show.whole_percent(1 / (n + 1))} instead of {show.whole_percent(1 / (usual + 1))}"
            )
            yield inputs.finding("few-negatives", "warning", detail, [row])


def duplicate_bundles(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles with equal anchor, positive and set of negatives, and those of them in different tiers."""
    equal = inputs.forms.equal
    sets = (
        pl.DataFrame({"row": inputs.owners, "text": equal[inputs.negative_texts]})
        .group_by("row")
        .agg(negatives=pl.col("text").unique().sort())
    )
    duplicates = (
        pl.DataFrame({"anchor": equal[inputs.anchors], "positive": equal[inputs.positives]})
        .with_columns(row=pl.int_range(pl.len(), dtype=pl.Int64))
        .join(sets, on="row", how="left", maintain_order="left")
        .group_by("anchor", "positive", "negatives", maintain_order=True)
        .agg("row")
        .filter(pl.col("row").list.len() > 1)
    )
    conflicts = []
    for rows in duplicates["row"].to_list():
        pair = f"{inputs.quote(inputs.anchors[rows[0]])} with {inputs.quote(inputs.positives[rows[0]])}"
        files = sorted({inputs.bundles["file"][row] for row in rows})
        where = f" in {show.listed([str(inputs.files[file]) for file in files])}" if len(files) > 1 else ""
        detail = f"{len(rows)} bundles have the same anchor, positive and negatives{where}: {pair}"
        yield inputs.finding("duplicate-bundle", "error", detail, rows)
        tiers = sorted(inputs.bundles["tier"].gather(rows).drop_nulls().unique())
        if len(tiers) > 1:
            detail = f"the same bundle is in {show.listed(tiers)}: {pair}"
            conflicts.append(inputs.finding("conflicting-tiers", "error", detail, rows))
    yield from conflicts


CHECKS: tuple[Callable[[LintedBundles], Iterable[BundleFinding]], ...] = (
    row_faults,
    ids_of_several_files,
    right_answers,
    few_negatives,
    duplicate_bundles,
    leakage,
    baselines,
)
"""All of them, in the order in which their findings are listed."""


def lint(inputs: LintedBundles, progress: Progress = SILENT) -> list[BundleFinding]:
    """Find what makes the figures of an eval mean something else than they say, the worst first."""
    findings: list[BundleFinding] = []
    with progress.step("checking", len(CHECKS), unit="checks") as step:
        for done, check in enumerate(CHECKS, 1):
            findings += check(inputs)
            step.update(done)
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


@dataclass(frozen=True)
class Linted:
    """Files and what is wrong with them, the worst first."""

    inputs: LintedBundles
    findings: tuple[BundleFinding, ...]


def lint_files(files: Sequence[Path], train: Sequence[Path] = (), *, progress: Progress = SILENT) -> Linted:
    """Lint files together."""
    inputs = read_inputs(files, train, progress)
    return Linted(inputs, tuple(lint(inputs, progress)))
