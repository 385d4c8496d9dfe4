"""Figures as a table: what each is called, its unit and form, which way is better, what undefined means.

The key is the figure's name in JSON and for experiment trackers; pages and terminals show its label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from tellapart.report import numbers as show
from tellapart.report.tables import Cell, undefined

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes:
        label: What people call it.
        form: How its value is written, without the unit.
        unit: Empty for none.
        undefined: What it means that there is no value.
    """

    label: str
    form: Callable[[float], str]
    unit: str = ""
    better: Better = "neither"
    undefined: str = "nothing was scored"

    @property
    def heading(self) -> str:
        """Label and unit, and that less is better where it is."""
        unit = f", {self.unit}" if self.unit else ""
        return f"{self.label}{unit}{' (lower is better)' if self.better == 'lower' else ''}"

    @property
    def axis(self) -> str:
        """Label and unit, for a chart."""
        return f"{self.label}, {self.unit}" if self.unit else self.label


def _count(value: float) -> str:
    return show.count(round(value))


def _dollars(value: float) -> str:
    return show.decimal(value, 2 if value >= 1 else 4)


def exposures(value: float) -> str:
    """Give expected exposures with one decimal, but no limit that is not reached: 49.96 is not 50.0."""
    digits = next((d for d in (1, 2, 3, 4) if (round(value, d) >= 50) == (value >= 50)), 6)
    return f"{value:,.{digits}f}" if value >= 1 or not value else show.significant(value)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", show.MINUS)


_TWO, _FOUR = partial(show.decimal, digits=2), partial(show.decimal, digits=4)

_RATE = Figure("", show.rate, "%", "higher")
_RANKED = Figure("", show.decimal, "", "higher")
_COEFFICIENT = Figure("", _TWO, "", "higher", "not known")
_COUNT = Figure("", _count)
_TOKENS = Figure("", _count, "tokens", "higher", "not determined")
_MEAN = Figure("", show.significant)
_MARGIN = Figure("", show.any_size, "", "higher", "there are no bundles")
_ANY = Figure("", show.any_size)
_ONE_ORDER = "no pair of summaries has verdicts in both orders"
_ALIKE = "all models score the same, or there are too few"
_WITHOUT = "τ with and without the items that rank backwards"
_NOTHING_FOUND = "nothing was found, or nothing is known to be relevant"
_FOUND = replace(_RANKED, undefined=_NOTHING_FOUND)
_GOLD = replace(_RANKED, undefined="it was not measured")

FIGURES: dict[str, Figure] = {
    # All suites.
    "mean": replace(_RATE, label="Mean"),
    "rank": replace(_COUNT, label="Rank", better="lower"),
    "n": replace(_COUNT, label="n"),
    "missing": replace(_COUNT, label="Missing"),
    "models": replace(_COUNT, label="Models"),
    "items": replace(_COUNT, label="Items"),
    "pairs": replace(_COUNT, label="Pairs"),
    "difference": Figure("Difference", show.points, "points", undefined="too few items or clusters"),
    "interval": replace(_MEAN, label="Interval", undefined="no interval"),
    "p": Figure("p", show.p_value, undefined="too few items or clusters"),
    "p_adjusted": Figure("Adjusted p", show.p_value, undefined="too few items or clusters"),
    "separated": replace(_COUNT, label="Separated"),
    "passed": replace(_COUNT, label="Passed", undefined="the gate is unclear"),
    "detectable": Figure("Detectable", show.rate, "points", "lower", "nothing is known of the spread"),
    "items_needed": Figure("Items needed", lambda value: show.items(int(value)), better="lower"),
    "cost": Figure("Cost", _dollars, "US $", "lower", "no price was given (--price)"),
    "seconds": Figure("Seconds a call", show.significant, "", "lower", "no call was recorded"),
    # Boards of tasks, whose scores may have any scale.
    "task_mean": Figure("Mean", _FOUR, "", "higher"),
    "task_difference": Figure("Difference", _FOUR),
    "rank_interval": replace(_COUNT, label="Rank interval"),
    "tie_group": replace(_COUNT, label="Tie group"),
    # What an audit finds.
    "pairs_separated": replace(_COUNT, label="Pairs separated", better="higher"),
    "separated_paired": replace(_RATE, label="Pairs separated", undefined="no pair has items of this kind"),
    "signal_to_noise": replace(_MEAN, label="Signal to noise", better="higher"),
    "reliability": replace(_COEFFICIENT, label="Reliability"),
    "discrimination": Figure("Discrimination", _TWO, "", "higher", _ALIKE),
    "halves_tau": replace(_COEFFICIENT, label="Kendall's τ between random halves of the items"),
    "halves_correlation": replace(_COEFFICIENT, label="correlation of the means of the halves"),
    "spearman_brown": replace(_COEFFICIENT, label="the same for the whole length (Spearman–Brown)"),
    "without_flagged": Figure(_WITHOUT, _TWO, "", "higher", "no item ranks the models backwards"),
    "tau": replace(_COEFFICIENT, label="τ", undefined="one of the two orders is all ties"),
    "variance": Figure("Variance", show.significant, undefined="not recorded"),
    "variance_share": Figure("Share", show.rate, "%", undefined="nothing varies"),
    # Answers to questions with several options.
    "accuracy": replace(_RATE, label="Accuracy", undefined="no answer was scored"),
    "top3": replace(_RATE, label="Top 3", undefined="no answer was scored"),
    "top5": replace(_RATE, label="Top 5", undefined="no answer was scored"),
    "mrr": replace(_RANKED, label="MRR", undefined="no answer was scored"),
    "mean_rank": Figure("Mean rank", _TWO, "", "lower", "no answer was scored"),
    "chance": Figure("Chance", show.rate, "%", undefined="no answer was scored"),
    "ratio": Figure("Ratio to chance", _TWO, undefined="no answer was scored"),
    "mean_right": replace(_MEAN, label="Mean when right", undefined="no answer was right"),
    "mean_wrong": replace(_MEAN, label="Mean when wrong", undefined="no answer was wrong"),
    "auroc": replace(_RANKED, label="AUROC", undefined="answers are all right or all wrong"),
    "correlation": replace(_RANKED, label="Correlation", undefined="gaps or answers do not vary"),
    "calibration_error": replace(
        _RANKED,
        label="Calibration error",
        better="lower",
        undefined="too few files, or answers all alike",
    ),
    "flip_rate": Figure("Changed", show.rate, "%", "lower", "no item was asked again"),
    "mean_characters": Figure("Mean characters", _count, undefined="there is no summary"),
    # Writers of summaries.
    "combined": replace(_RATE, label="Combined"),
    "retrieval": replace(_RATE, label="Retrieval"),
    "contrastive": replace(_RATE, label="Contrastive"),
    "judge": replace(_RATE, label="Judge"),
    "strength": Figure("Strength", _TWO, "", "higher", _ONE_ORDER),
    "leniency": replace(_COEFFICIENT, label="Leniency", better="neither", undefined="no scores to compare"),
    "first_share": replace(_RATE, label="Points of the first", undefined=_ONE_ORDER),
    "same_in_both": replace(_RATE, label="Same in both orders", undefined=_ONE_ORDER),
    # Graded conversations.
    "score": replace(_RATE, label="Score", undefined="no answer was graded"),
    "probes": replace(_COUNT, label="Probes"),
    "bounds": replace(_RATE, label="Bounds", undefined="nothing was asked"),
    "effective_length_absolute": replace(_TOKENS, label="Effective length, absolute (RULER)"),
    "effective_length_relative": replace(_TOKENS, label="Effective length, relative (NoLiMa)"),
    "measured_tokens": Figure("Measured", _count, "tokens", undefined="no usage was recorded"),
    "findings_errors": replace(_COUNT, label="Errors found by lint", better="lower"),
    # Files that a search returns.
    "precision": replace(_FOUND, label="Precision"),
    "recall": replace(_FOUND, label="Recall"),
    "f1": replace(_FOUND, label="F1"),
    "precision_union": replace(_FOUND, label="Precision without verdicts"),
    "recall_union": replace(_FOUND, label="Recall without verdicts"),
    "f1_union": replace(_FOUND, label="F1 without verdicts"),
    **{f"gold_recall_at_{k}": replace(_GOLD, label=f"recall@{k} against gold") for k in (5, 10, 20)},
    **{f"gold_acc_at_{k}": replace(_GOLD, label=f"Acc@{k} against gold") for k in (1, 5, 10)},
    "gold_mrr": replace(_GOLD, label="MRR against gold"),
    "gold_ndcg_at_10": replace(_GOLD, label="nDCG@10 against gold"),
    "gold_f1": replace(_GOLD, label="F1 against gold"),
    "against_gold": replace(_GOLD, label="Files"),
    "original": replace(_RANKED, label="Original", undefined="the original pipeline has no such figure"),
    "change": Figure("Change", _signed, undefined="no conversation has it in both"),
    "at_worst": replace(_MEAN, label="At worst", undefined="not known"),
    "limit": replace(_MEAN, label="Limit"),
    "gap": Figure("Gap", _signed, undefined=_NOTHING_FOUND),
    "ranked": replace(_RANKED, label="Mean", undefined="it was not measured"),
    "grade": Figure("Mean", _TWO, "", "higher", "no search has this score"),
    "share": replace(_RANKED, label="Share", undefined="it was not measured"),
    "conversations": replace(_COUNT, label="Conversations"),
    "searches": replace(_COUNT, label="Searches"),
    "files": replace(_COUNT, label="Files"),
    "found_alone": replace(_COUNT, label="Files it alone found", undefined="it is not known"),
    "done": replace(_COUNT, label="Done"),
    "failed": replace(_COUNT, label="Failed"),
    "suspect": replace(_COUNT, label="Suspect"),
    "judged": replace(_COUNT, label="Files judged"),
    "share_failed": Figure("Verdicts that failed", show.rate, "%", "lower", "nothing was put to the judge"),
    # Triplets with hard negatives.
    "pass_rate": replace(_RATE, label="Pass rate", undefined="there are no bundles"),
    "mean_margin": replace(_MARGIN, label="Mean margin"),
    "median_margin": replace(_MARGIN, label="Median margin"),
    "q10_margin": replace(_MARGIN, label="Margin, 10th percentile"),
    "q90_margin": replace(_MARGIN, label="Margin, 90th percentile"),
    "expected_rank": Figure("Expected rank", _TWO, "", "lower", "there are no bundles"),
    "ties": replace(_COUNT, label="Ties", better="lower"),
    "bundles": replace(_COUNT, label="Bundles"),
    # Runs over seeds, and training.
    "std": replace(_ANY, label="std", better="lower"),
    "min": replace(_ANY, label="Min"),
    "max": replace(_ANY, label="Max"),
    "seeds": replace(_COUNT, label="Seeds"),
    "items_alone": replace(_ANY, label="Items alone", undefined="the number of items is not recorded"),
    "draws": replace(_COUNT, label="Draws"),
    "exposure": Figure("Exposures", exposures, better="higher"),
}


def labels(names: Sequence[str]) -> list[str]:
    """Give the heads of columns whose unit the title of the table says."""
    return [FIGURES[name].label for name in names]


def headings(names: Sequence[str]) -> list[str]:
    """Give the heads of columns."""
    return [FIGURES[name].heading for name in names]


def in_words(name: str) -> str:
    """Give the label inside a sentence: ``Precision`` as ``precision``, but ``F1`` and ``Acc@5`` as such."""
    label = FIGURES[name].label
    word = label.partition(" ")[0]
    return label if any(not letter.islower() for letter in word[1:]) else label[:1].lower() + label[1:]


def ends_of(name: str, ends: Sequence[float] | None) -> str:
    """Write an interval of a figure; that there is none where that is so."""
    if ends is None:
        return "no interval"
    form = FIGURES[name].form
    return f"{form(ends[0])}{'–' if form is show.rate else ' to '}{form(ends[1])}"


def cell(name: str, value: float | None, *details: str, reason: str = "") -> Cell:
    """Make the cell of a figure with what belongs below it, such as its interval, or why it has no value."""
    known, detail = FIGURES[name], "; ".join(filter(None, details))
    return undefined(reason or known.undefined, detail) if value is None else Cell(known.form(value), detail)


def interval_cell(
    name: str, value: float | None, ends: Sequence[float] | None, *details: str, reason: str = ""
) -> Cell:
    """The same with an interval below the value, or that there is none."""
    return cell(name, value, "" if value is None else ends_of(name, ends), *details, reason=reason)


def cells(source: object, names: Sequence[str], **reasons: str) -> list[Cell]:
    """Make the cells of figures that something has as attributes, with an interval as ``NAME_ci``."""
    made = []
    for name in names:
        value, reason = getattr(source, name), reasons.get(name, "")
        if hasattr(source, f"{name}_ci"):
            made.append(interval_cell(name, value, getattr(source, f"{name}_ci"), reason=reason))
        else:
            made.append(cell(name, value, reason=reason))
    return made
