"""The checks of an eval, a function each, and all of them together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.bundles.lint.baselines import baselines
from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles, read_inputs
from tellapart.core.progress import SILENT, Progress
from tellapart.core.severity import SEVERITIES, Severity
from tellapart.report import numbers as show

_WINDOW = 8
"""Words of a positive from which it is looked for inside longer texts: fewer may be there by chance."""


def leakage(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find anchors and positives that training data has too, and pairs of both in one of its rows.

    A positive of ``_WINDOW`` words or more is also found inside a longer text. A pair that is equal in both
    is an error: the model was trained on the answer. A text that is only a wrong answer makes no pair.
    """
    if inputs.train is None:
        return
    forms, where = inputs.forms, ["file", "line"]
    pairs = (
        pl.DataFrame({"anchor": forms.equal[inputs.anchors], "positive": forms.equal[inputs.positives]})
        .with_row_index("row")
        .group_by("anchor", "positive", maintain_order=True)
        .agg("row")
        .with_row_index("pair")
    )
    hits = _hits(inputs, inputs.train)
    anchors = pairs.join(hits, left_on="anchor", right_on="equal").sort("pair", "rank", *where)
    positives = pairs.join(hits.filter(~pl.col("negative")), left_on="positive", right_on="equal")
    both = anchors.filter(~pl.col("negative")).join(positives, on=["pair", *where], suffix="_p")
    both = both.with_columns(rank=pl.max_horizontal("rank", "rank_p")).sort("pair", "rank", *where)
    leaks = pl.concat(
        part.select("pair", "row", "rank", *where, check=pl.lit(check))
        for check, part in (
            ("pair", both),
            ("anchor", anchors),
            ("positive", positives.sort("pair", "rank", *where)),
        )
    ).unique("pair", keep="first", maintain_order=True)
    for rows, rank, file, line, check in leaks.sort("pair").drop("pair").iter_rows():
        nearly = "nearly " if rank else ""
        severity: Severity = "error" if check == "pair" and not rank else "warning"
        text = inputs.positives[rows[0]] if check == "positive" else inputs.anchors[rows[0]]
        what = f"the {check} is {nearly}in the training data"
        if check == "pair":
            what = f"anchor and positive are {nearly}in one row of the training data"
        place = f"{inputs.train_files[file]}:{line}"
        yield inputs.finding(f"leaked-{check}", severity, f"{what}, {place}: {inputs.quote(int(text))}", rows)


def _hits(inputs: LintedBundles, train: pl.DataFrame) -> pl.DataFrame:
    """Where training data has what is like a text; ``rank`` is 0 where one equals or holds the other."""
    forms = inputs.forms
    used = np.unique(np.concatenate([inputs.anchors, inputs.positives]))
    numbers = train["text"].to_numpy()
    wanted = pl.DataFrame({"equal": forms.equal[used], "a": forms.near[used]}).unique(maintain_order=True)
    trained = train.with_columns(b=pl.Series(forms.near[numbers]), other=pl.Series(forms.equal[numbers]))
    alike = wanted.join(forms.near_pairs, on="a").join(trained, on="b")
    inside = pl.DataFrame(
        sorted(_inside(inputs, numbers)),
        schema={"text": train.schema["text"], "equal": pl.Int64},
        orient="row",
    )
    columns = ["equal", "rank", "file", "line", "negative"]
    return pl.concat(
        [
            alike.with_columns(rank=(pl.col("equal") != pl.col("other")).cast(pl.Int8)).select(columns),
            train.join(inside, on="text").with_columns(rank=pl.lit(0, dtype=pl.Int8)).select(columns),
        ]
    ).unique(maintain_order=True)


def _inside(inputs: LintedBundles, numbers: np.ndarray) -> set[tuple[int, int]]:
    """Longer texts of training data that hold a positive word by word, and the anchors beside it."""
    forms = inputs.forms
    words = [f" {text} " for text in forms.near_texts.texts]
    beginnings, anchors_of = defaultdict[str, set[int]](set), defaultdict[int, set[int]](set)
    for anchor, positive in zip(inputs.anchors.tolist(), inputs.positives.tolist(), strict=True):
        first = words[forms.near[positive]].split()[:_WINDOW]
        if len(first) == _WINDOW:
            beginnings[" ".join(first)].add(positive)
            anchors_of[positive].add(anchor)
    found: set[tuple[int, int]] = set()
    for text in np.unique(numbers).tolist() if beginnings else ():
        held = words[forms.near[text]]
        listed = held.split()
        windows = {" ".join(listed[i : i + _WINDOW]) for i in range(len(listed) - _WINDOW + 1)}
        for positive in {text for window in windows & beginnings.keys() for text in beginnings[window]}:
            if forms.near[text] != forms.near[positive] and words[forms.near[positive]] in held:
                beside = [a for a in anchors_of[positive] if words[forms.near[a]] in held]
                found.update((text, int(forms.equal[one])) for one in (positive, *beside))
    return found


_ODD = 0.1
"""Share of a file above which bundles are not the odd ones out."""

_DUPLICATE_ID = "duplicate id"
_AMONG = "positive among the negatives"
"""Causes of the reader that have a check of their own, which finds more."""


def unreadable(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find rows that no other command reads."""
    return _row_faults(inputs, "unreadable", ~pl.col("cause").is_in([_DUPLICATE_ID, _AMONG]))


def duplicate_ids(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find ids that a file has twice, or that several files have."""
    yield from _row_faults(inputs, "duplicate-id", pl.col("cause") == _DUPLICATE_ID)
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


def _row_faults(inputs: LintedBundles, check: str, concerned: pl.Expr) -> Iterator[BundleFinding]:
    rows = inputs.bundles.with_row_index("row").group_by("file", "line").agg("row")
    faults = inputs.faults.filter(concerned).sort("file", "line", maintain_order=True)
    for file, line, field, cause, detail, of_line in faults.join(
        rows, on=["file", "line"], how="left", maintain_order="left"
    ).iter_rows():
        what = f"{field}: {cause}{detail and f', {detail}'}"
        yield inputs.finding(check, "error", what, of_line or (), f"{inputs.files[file]}:{line}")


def positives_among_negatives(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles with a negative that equals their positive."""
    same = _negatives(inputs).filter(pl.col("text") == pl.col("positive"))
    for at in same.unique("row", maintain_order=True)["place"]:
        is_copy = inputs.negatives[at] == inputs.positives[inputs.owners[at]]
        how = "" if is_copy else " but for case, white space or Unicode"
        yield _of_negative(inputs, at, "positive-among-negatives", "error", f"equals the positive{how}")


def second_right_answers(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find negatives that are nearly the positive, or the positive of the same anchor in another bundle."""
    forms, check = inputs.forms, "second-right-answer"
    negatives = _negatives(inputs).filter(pl.col("text") != pl.col("positive"))
    near_positive = forms.near[inputs.positives[negatives["row"].to_numpy()]]
    own = negatives.with_columns(b=near_positive).join(
        forms.near_pairs, left_on=["near_text", "b"], right_on=["a", "b"], how="semi", maintain_order="left"
    )
    for at in own["place"]:
        yield _of_negative(inputs, at, check, "warning", "is nearly the positive")
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
    elsewhere = (
        alike.select("place", "owner", is_same=is_same)
        .sort("place", "is_same", "owner", descending=[False, True, False])
        .unique("place", keep="first", maintain_order=True)
        .filter(pl.col("is_same") | ~pl.col("place").is_in(own["place"].implode()))
    )
    for at, owner, same in elsewhere.iter_rows():
        nearly, name = "" if same else "nearly ", inputs.bundles["bundle_id"][owner]
        what = f"is {nearly}the positive of {nearly}the same anchor in {name!r}"
        yield _of_negative(inputs, at, check, "error" if same else "warning", what, owner)


def _negatives(inputs: LintedBundles) -> pl.DataFrame:
    """A row a negative: its place, the row of its bundle, and what it and its bundle's texts are equal to."""
    forms = inputs.forms
    return pl.DataFrame(
        {
            "place": np.arange(len(inputs.owners)),
            "row": inputs.owners,
            "anchor": forms.equal[inputs.anchors[inputs.owners]],
            "near_anchor": forms.near[inputs.anchors[inputs.owners]],
            "text": forms.equal[inputs.negatives],
            "near_text": forms.near[inputs.negatives],
            "positive": forms.equal[inputs.positives[inputs.owners]],
        }
    )


def _of_negative(
    inputs: LintedBundles, at: int, check: str, severity: Severity, what: str, *others: int
) -> BundleFinding:
    row = int(inputs.owners[at])
    position = at - int(np.searchsorted(inputs.owners, row))
    detail = f"negatives[{position}] {what}: {inputs.quote(int(inputs.negatives[at]))}"
    return inputs.finding(check, severity, detail, [row, *others])


def few_negatives(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles with fewer than half as many negatives as most of their file: they are easier."""
    distinct = np.unique(np.stack([inputs.owners, inputs.forms.equal[inputs.negatives]]), axis=1)
    counts = np.bincount(distinct[0], minlength=inputs.bundles.height)
    files = inputs.bundles["file"].to_numpy()
    for file, path in enumerate(inputs.files):
        rows = np.flatnonzero(files == file)
        usual = int(np.median(counts[rows])) if len(rows) else 0
        few = rows[(counts[rows] * 2 < usual) & (counts[rows] > 0)]
        if len(few) > _ODD * len(rows):
            detail = (
                f"{show.count(len(few))} of {show.count(len(rows))} bundles have fewer than half as many "
                f"negatives as most, which have {usual}, and are easier"
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
        pl.DataFrame({"row": inputs.owners, "text": equal[inputs.negatives]})
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
    for rows in duplicates["row"].to_list():
        pair = f"{inputs.quote(inputs.anchors[rows[0]])} with {inputs.quote(inputs.positives[rows[0]])}"
        files = sorted({inputs.bundles["file"][row] for row in rows})
        where = f" in {show.listed([str(inputs.files[file]) for file in files])}" if len(files) > 1 else ""
        detail = f"{len(rows)} bundles have the same anchor, positive and negatives{where}: {pair}"
        yield inputs.finding("duplicate-bundle", "error", detail, rows)
        tiers = sorted(inputs.bundles["tier"].gather(rows).drop_nulls().unique())
        if len(tiers) > 1:
            detail = f"the same bundle is in {show.listed(tiers)}: {pair}"
            yield inputs.finding("conflicting-tiers", "error", detail, rows)


CHECKS: tuple[Callable[[LintedBundles], Iterable[BundleFinding]], ...] = (
    unreadable,
    duplicate_ids,
    positives_among_negatives,
    second_right_answers,
    few_negatives,
    duplicate_bundles,
    leakage,
    baselines,
)
"""All of them, in the order in which their findings are listed."""


@dataclass(frozen=True)
class Linted:
    """Files and what is wrong with them, the worst first."""

    inputs: LintedBundles
    findings: tuple[BundleFinding, ...]


def lint_files(files: Sequence[Path], train: Sequence[Path] = (), *, progress: Progress = SILENT) -> Linted:
    """Find what makes the figures of evals mean something else than they say, in each and between them."""
    inputs = read_inputs(files, train, progress)
    findings: list[BundleFinding] = []
    with progress.step("checking", len(CHECKS), unit="checks") as step:
        for done, check in enumerate(CHECKS, 1):
            findings += check(inputs)
            step.update(done)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Linted(inputs, tuple(findings))
