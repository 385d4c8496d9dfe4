"""Language models: summaries, order of the options, repeats, missing answers, combined rank, calls."""

from __future__ import annotations

from tellapart.contrastive.page.view import View
from tellapart.contrastive.selection.levels import POOL
from tellapart.core.comparison import Claim, claims
from tellapart.report import figures, model_parameters
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.figures import cell, ends_of, interval_cell
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, figure, table

WHERE_REPLIES_LIE = (
    "Every message and reply, with the model's reasoning, is in run.db of the run directory; those of "
    "summaries are in llm/calls.db of the benchmark."
)


def calls_section(view: View) -> Section | None:
    """How language models were asked."""
    models = view.language_models
    return model_parameters.section(models, WHERE_REPLIES_LIE) if models else None


def missing_lines(view: View) -> list[str]:
    """Say how many answers are missing, and why."""
    causes = [
        f"{model} {by_cause(result.missing_by_cause)}"
        for model, result in view.report.overall.items()
        if result.askings_missing
    ]
    lines = [f"Answers missing: {'; '.join(causes)}."] if causes else []
    if view.llms and POOL.name in view.levels:
        lines.append(
            f"{show.listed(view.llms)} {'was' if len(view.llms) == 1 else 'were'} not asked the items of "
            f"{POOL.name}: no prompt holds that many options."
        )
    return lines


def summaries_section(view: View) -> Section | None:
    """What each writer wrote; None where no language model wrote any."""
    summaries = view.report.summaries
    if not summaries:
        return None
    causes = sorted({cause for written in summaries.values() for cause in written.missing})
    rows: list[list[Cell | str]] = [
        [
            source,
            show.count(written.n),
            *(show.count(written.missing.get(cause, 0)) for cause in causes),
            *figures.cells(written, ["mean_characters"]),
        ]
        for source, written in summaries.items()
    ]
    missing = [f"Missing: {cause}" for cause in causes]
    heads = ["Summaries by", "Written", *missing, *figures.headings(["mean_characters"])]
    text = "Whose summaries were compared. A target without a summary is missing for that writer, not wrong."
    shown = table("written", "Summaries by who wrote them", heads, rows)
    return Section("summaries", "Summaries", text, tables=(shown,), in_terminal=True)


def combined_section(view: View) -> Section | None:
    """Mean reciprocal rank of both kinds of models, and its mean; None where not both answered."""
    if not view.report.combined:
        return None
    rows: list[list[Cell | str]] = []
    for source, rank in view.report.combined.items():
        ends = "" if rank.ci is None else ends_of("mrr", rank.ci)
        means = [cell("mrr", rank.embedding), cell("mrr", rank.llm), cell("mrr", rank.combined, ends)]
        rows.append([source, *means, *map(show.count, (rank.n, rank.missing))])
    shown = table(
        "combined",
        "Mean reciprocal rank of embedding models, of language models, and combined",
        ["Summaries", "Embedding models", "Language models", "Combined", "Items", "Missing"],
        rows,
        note="Combined is the mean of the two, over the items that both kinds answered.",
    )
    return Section("combined", "Both kinds of models", tables=(shown,), in_terminal=True)


def flips(view: View) -> Table | None:
    """How many items changed when they were asked again; None where none was."""
    plan = view.run.record.config.get("plan", {})
    asked = {
        f"{plan.get('repeats', 1)} times in the same order": view.report.repeats,
        f"in {plan.get('orders', 1)} orders": view.report.orders,
    }
    rows: list[list[Cell | str]] = []
    for model in view.llms:
        for how, by_model in asked.items():
            if flips_of := by_model.get(model):
                counts = map(show.count, (flips_of.items, round(flips_of.flip_rate * flips_of.items)))
                rows.append(
                    [model, how, *counts, interval_cell("flip_rate", flips_of.flip_rate, flips_of.ci)]
                )
    if not rows:
        return None
    return table(
        "flips",
        "Items whose answer changed when they were asked again, % (95 % interval)",
        ["Model", "Asked", "Items", "Changed", "Of all, %"],
        rows,
        note="Changed: not always the same option was put first, be it right or wrong. The more askings, the "
        "more items change.",
        words=2,
    )


def slots_section(view: View) -> Section | None:
    """The order of the options, and what changes when it does."""
    if not view.llms:
        return None
    return Section(
        "slots",
        "Order of the options",
        "A language model reads the options as a list. The target goes through the slots in turn, so that a "
        "preference for a slot helps and hurts every model alike, and shows.",
        tables=present(by_fifth(view), flips(view)),
        in_terminal=True,
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
            interval_cell("accuracy", part.right, part.right_ci, f"n {show.count(part.n)}")
            for part in result.fifths
        ]
        picked = [interval_cell("accuracy", part.picked, part.picked_ci) for part in result.fifths]
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
