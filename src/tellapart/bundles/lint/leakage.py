"""What of an eval is in training data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.core.severity import Severity


def leakage(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find anchors and positives that training data has too, and pairs of both in one of its rows.

    A pair that is equal in both is an error: the model was trained on the answer. A text that is only a wrong
    answer in a row makes no pair there.
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
    """Where training data has what is like a text of the eval; ``rank`` is 0 where both are equal, else 1."""
    forms, numbers = inputs.forms, train["text"].to_numpy()
    used = np.unique(np.concatenate([inputs.anchors, inputs.positives]))
    wanted = pl.DataFrame({"equal": forms.equal[used], "a": forms.near[used]}).unique(maintain_order=True)
    trained = train.with_columns(b=pl.Series(forms.near[numbers]), other=pl.Series(forms.equal[numbers]))
    alike = wanted.join(forms.near_pairs, on="a").join(trained, on="b")
    rank = (pl.col("equal") != pl.col("other")).cast(pl.Int8)
    return alike.select("equal", "file", "line", "negative", rank=rank).unique(maintain_order=True)
