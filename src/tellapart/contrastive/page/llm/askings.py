"""What a language model answered each time that it was asked about an item, for the browser of items."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import polars as pl

from tellapart.contrastive.page.record import View
from tellapart.report.missing_reasons import KINDS


def askings(view: View, model: str) -> list[list[list[Any]]]:
    """Give one list an item, in the order of the sets, of one list an asking, in the order of the replicates.

    Returns:
        An asking is [order, which time in this order, the target's slot, the slot put first, the target's
        rank, the stated confidence, why there is no answer]; order and time count from 0 as in the journal of
        calls, slots from 1. The last is None for an answer; without one the three before it are None.
    """
    repeats = view.record.config.get("plan", {}).get("repeats", 1)
    columns = ("item", "replicate", "slot", "picked_slot", "rank", "confidence", "missing", "failure")
    found: dict[str, list[list[Any]]] = {}
    for item, replicate, *told, missing, failure in _rows(view, model).select(columns).iter_rows():
        why = None if missing is None else _why(missing, failure)
        place = [replicate // repeats, replicate % repeats]
        found.setdefault(item, []).append([*place, *told, why])
    return [found.get(item, []) for item in view.sets["item"]]


def llm_answers(view: View, model: str, position: dict[str, int]) -> list[list[Any] | str]:
    """Give one answer an item: [mean of correct, rank, ties, None, None, best distractor].

    The rank is the mean over the askings; the best distractor is that of the first asking that came out as
    most did. Where no asking brought an answer, the reason stands in place of all.
    """
    found: dict[str, list[Any] | str] = {}
    for item, rows in _rows(view, model).group_by(["item"], maintain_order=True):
        read = rows.filter(pl.col("missing").is_null())
        if read.is_empty():
            missing, failure = rows.select("missing", "failure").row(0)
            found[str(item[0])] = _why(missing, failure)
            continue
        correct, rank = (float(fmean(read[name])) for name in ("correct", "rank"))
        typical = read.filter((pl.col("correct") > 0.5) == (correct > 0.5)).row(0, named=True)
        best = position[typical["best_distractor"]]
        found[str(item[0])] = [correct, float(f"{rank:.3g}"), typical["ties"], None, None, best]
    return [found.get(item, "not asked") for item in view.sets["item"]]


def _rows(view: View, model: str) -> pl.DataFrame:
    return view.items.filter(pl.col("model") == model).sort("replicate", maintain_order=True)


def _why(missing: str, failure: str | None) -> str:
    return missing if failure is None else f"{missing} ({KINDS.get(failure, failure)})"
