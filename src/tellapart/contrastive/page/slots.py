"""Whether it matters to a language model where in the list the target stands."""

from __future__ import annotations

from tellapart.contrastive.page.cells import rate_with_interval
from tellapart.contrastive.page.language_models import flips
from tellapart.contrastive.page.view import View
from tellapart.core.comparison import Claim, claims
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.tables import Cell, Table, figure, table


def section(view: View) -> Section | None:
    """The order of the options, and what changes when it does."""
    if not view.llms:
        return None
    return Section(
        "slots",
        "Order of the options",
        "A language model reads the options as a list. The target goes through the slots in turn, so that a "
        "preference for a slot helps and hurts every model alike, and shows.",
        tables=present(by_fifth(view), flips(view)),
    )


def claims_by_model(view: View) -> dict[str, Claim]:
    """Claims that accuracy depends on the slot, after Holm over the language models."""
    p_of = {model: result.test.p for model, result in view.report.slots.items()}
    return dict(zip(p_of, claims(list(p_of.values())), strict=True))


def slot_lines(view: View) -> list[str]:
    """Sentences about the language models to which the slot matters."""
    lines = []
    for model in (model for model, claim in claims_by_model(view).items() if claim.holds):
        rates = [part.right for part in view.report.slots[model].fifths]
        shown = ", ".join(show.DASH if rate is None else show.whole_percent(rate) for rate in rates)
        lines.append(
            f"Where the target stands matters to {model}: right, from the first fifth of the list to the "
            f"last, {shown}."
        )
    return lines


def by_fifth(view: View) -> Table:
    """Accuracy and first choices by fifth of the list."""
    p_of = {model: claim.p_adjusted for model, claim in claims_by_model(view).items()}
    rows: list[list[Cell | str]] = []
    for model in (model for model in view.models if model in view.report.slots):
        result = view.report.slots[model]
        p = figure(p_of[model], show.p_value, result.test.reason or "there was no test")
        right = [
            rate_with_interval(part.right, part.right_ci, f"n {show.count(part.n)}") for part in result.fifths
        ]
        picked = [rate_with_interval(part.picked, part.picked_ci) for part in result.fifths]
        rows += [[model, "right", *right, p], [model, "picked", *picked, ""]]
    return table(
        "by-fifth",
        "Right, by the fifth of the list where the target stands; picked, by that of the first choice, %",
        ["Model", "Share", "First", "2nd", "3rd", "4th", "Last", "p"],
        rows,
        note="p: permutation test that accuracy does not depend on where the target stands"
        + (", corrected for the number of models." if len(p_of) > 1 else "."),
        words=2,
    )
