"""Language models: missing answers, agreement, repeats, summaries, calls."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from tellapart.contrastive.llm_figures import Agreement, CombinedRank, FlipResult
from tellapart.contrastive.page.cells import number, rate, share
from tellapart.contrastive.page.view import View, full_name, matched_by, reasons_of
from tellapart.contrastive.selection.levels import POOL
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.missing_reasons import in_words
from tellapart.report.tables import Cell, Table, table, undefined

SAYS_IT = "the cause says it"

WHERE_REPLIES_LIE = (
    "Every message and reply, with the model's reasoning, is in run.db of the run directory; those of "
    "summaries are in llm/calls.db of the benchmark."
)


def agreement_section(view: View) -> Section | None:
    """What both kinds of models got right."""
    tables = present(agreement(view), combined(view))
    text = "What a language model and an embedding model that saw the same options each got right."
    return Section("agreement", "Agreement", text, tables=tables) if tables else None


def summaries_section(view: View) -> Section | None:
    """Who wrote the summaries."""
    text = "Whose summaries were compared. A target without a summary is missing for that writer, not wrong."
    shown = writers(view)
    return Section("summaries", "Summaries", text, tables=(shown,)) if shown else None


def calls_section(view: View) -> Section | None:
    """How language models were asked."""
    models = view.language_models
    return model_parameters.section(models, WHERE_REPLIES_LIE) if models else None


def usage(view: View) -> Table | None:
    """What the calls took."""
    models = view.language_models
    return model_parameters.usage(models, WHERE_REPLIES_LIE) if models else None


def missing_lines(view: View) -> list[str]:
    """Say how many answers are missing, and why."""
    causes = [
        f"{full_name(view, model)} {in_words(reasons_of(view, model))}"
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


def missing_tables(view: View) -> list[Table]:
    """What is missing, where there are language models and something is missing or was repaired."""
    incomplete = any(result.askings_missing for result in view.report.overall.values())
    repaired = any(view.report.repaired.values())
    if not view.of_language_models or not (incomplete or repaired):
        return []
    return [_bounds(view), *([_causes(view)] if incomplete else [])]


def _bounds(view: View) -> Table:
    """Accuracy beside what it would be if all missing answers were wrong, and if all were right."""
    repaired = view.report.repaired
    rows: list[list[Cell | str]] = []
    for model in view.models:
        result = view.report.overall[model]
        rates = map(rate, (result.accuracy, *(result.accuracy_bounds or (None, None))))
        answers = view.items.filter(pl.col("model") == model).height
        counts = [_of(result.n, result.n + result.missing), _of(result.askings_missing, answers)]
        again = show.count(repaired[model]) if model in repaired else undefined("no language model")
        rows.append([model, *rates, *counts, again])
    return table(
        "bounds",
        f"Accuracy over all levels with what is missing, %{matched_by(view)}",
        ["Model", "Accuracy", "At worst", "At best", "Items scored", "Answers missing", "Repaired"],
        rows,
        note="Missing is not wrong. At worst: if every missing answer were wrong; at best: if every one were "
        "right. Repaired: a second request brought the reply into the requested form.",
    )


def _causes(view: View) -> Table:
    """How often what went wrong, by model."""
    rows: list[list[Cell | str]] = []
    for model in view.models:
        answers = view.items.filter(pl.col("model") == model).height
        rows += [
            [model, cause, what or undefined(SAYS_IT), show.count(missing), show.rate(missing / answers)]
            for cause, what, missing in reasons_of(view, model)
        ]
    headings = ["Model", "Cause", "What happened", "Answers", "Of all, %"]
    return table("why-missing", f"Why answers are missing{matched_by(view)}", headings, rows, words=3)


def _of(some: int, all_: int) -> str:
    return f"{show.count(some)} of {show.count(all_)}"


def agreement(view: View) -> Table | None:
    """How often both put the same option first, and which of them is right; None where there is no pair."""
    pairs = view.report.agreement
    if not pairs:
        return None
    several = len({view.sources[pair.llm] for pair in pairs}) > 1
    rows: list[list[Cell | str]] = []
    for pair in pairs:
        counts = (pair.both_right, pair.only_llm, pair.only_embedding, pair.both_wrong)
        rows.append(
            [
                *_who(view, pair, several),
                share(pair.same_pick, pair.n, NOT_BOTH),
                number(pair.kappa, 2, "one of the two is always right, or always wrong"),
                *(share(count, pair.n, NOT_BOTH) for count in counts),
                show.count(pair.n),
            ]
        )
    headings = [*(["Summaries"] if several else []), "Language model", "Embedding model"]
    return table(
        "agreement",
        "Agreement of language and embedding models: which of the two is right, % of items",
        [*headings, "Same choice", "κ", *_WHICH_IS_RIGHT, "Items"],
        rows,
        note="Of the items that both answered. Same choice: both put the same option first. κ: Cohen's, of "
        "being right; 0 is what chance gives, 1 is always together.",
        words=len(headings),
    )


def combined(view: View) -> Table | None:
    """Mean reciprocal rank of both kinds of models, and its mean; None where not both answered."""
    if not view.report.combined:
        return None
    rows: list[list[Cell | str]] = [
        [
            source,
            *(number(mean) for mean in (rank.embedding, rank.llm)),
            _combined(rank),
            *map(show.count, (rank.n, rank.missing)),
        ]
        for source, rank in view.report.combined.items()
    ]
    return table(
        "combined",
        "Mean reciprocal rank of embedding models, of language models, and combined",
        ["Summaries", "Embedding models", "Language models", "Combined", "Items", "Missing"],
        rows,
        note="Combined is the mean of the two, over the items that both kinds answered.",
    )


def _combined(rank: CombinedRank) -> Cell:
    cell = number(rank.combined)
    return cell if rank.ci is None else replace(cell, detail=" to ".join(map(show.decimal, rank.ci)))


_WHICH_IS_RIGHT = ("Both right", "Language only", "Embedding only", "Neither")


def _who(view: View, pair: Agreement, several: bool) -> list[str]:
    """Both models; of several writers of summaries first the writer, who is then not in the models' names."""
    models = [pair.llm, pair.embedding]
    return [view.sources[pair.llm], *(view.matchers[model] for model in models)] if several else models


NOT_BOTH = "no item that both answered"


_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}


def flips(view: View) -> Table | None:
    """How many items changed when they were asked again; None where none was."""
    rows: list[list[Cell | str]] = []
    for model in view.llms:
        for name, flips_of in _measured(view, model).items():
            span = show.rate_range(flips_of.ci) if flips_of.ci else "no interval"
            counts = map(show.count, (flips_of.items, _changed(flips_of)))
            rows.append([model, _asked(view, name), *counts, Cell(show.rate(flips_of.flip_rate), span)])
    if not rows:
        return None
    return table(
        "flips",
        f"Items whose answer changed when they were asked again, % (95 % interval){matched_by(view)}",
        ["Model", "Asked", "Items", "Changed", "Of all, %"],
        rows,
        note="Changed: not always the same option was put first, be it right or wrong. The more askings, the "
        "more items change.",
        words=2,
    )


def flip_lines(view: View) -> list[str]:
    """Say for each language model how much changed, and for which that was not measured."""
    lines = []
    for model in view.llms:
        clauses = [_in_words(view, name, result) for name, result in _measured(view, model).items()]
        if clauses:
            lines.append(f"{full_name(view, model)}: {'; '.join(clauses)}.")
    without = [model for model in view.llms if "repeats" not in _measured(view, model)]
    # Of none of the writers' summaries: then it is the matcher of which it is not known.
    alone = len(without) == len(view.llms) and matched_by(view) != ""
    unknown = sorted({view.matchers[m] for m in without}) if alone else [full_name(view, m) for m in without]
    if unknown:
        gives = "gives" if len(unknown) == 1 else "give"
        lines.append(
            f"Whether {show.listed(unknown)} {gives} the same answer to the same question was not measured; "
            "--repeats 2 measures it."
        )
    return lines


def _measured(view: View, model: str) -> dict[str, FlipResult]:
    results = {"repeats": view.report.repeats.get(model), "orders": view.report.orders.get(model)}
    return {name: result for name, result in results.items() if result and result.items}


def _plan(view: View) -> tuple[int, int]:
    plan = view.record.config.get("plan", {})
    return plan.get("repeats", 1), plan.get("orders", 1)


def _asked(view: View, name: str) -> str:
    repeats, orders = _plan(view)
    if name == "orders":
        return f"in {orders} orders"
    return f"{_TIMES.get(repeats, f'{repeats} times')} in the same order"


def _in_words(view: View, name: str, result: FlipResult) -> str:
    span = f" ({show.rate_range(result.ci)} %)" if result.ci else ""
    items = show.plural(result.items, "item")
    return f"asked {_asked(view, name)}, {show.count(_changed(result))} of {items} changed{span}"


def _changed(result: FlipResult) -> int:
    return round(result.flip_rate * result.items)


NO_SUMMARY = "there is no summary"


def writers(view: View) -> Table | None:
    """Summaries by their source; None where no language model wrote any."""
    summaries = view.report.summaries
    if not summaries:
        return None
    ordinary = view.header.counts.get("names_leaked_ordinary", {})
    reasons = sorted({cause for of_source in summaries.values() for cause in of_source.missing})
    rows: list[list[Cell | str]] = []
    for source, of_source in summaries.items():
        absent = [show.count(of_source.missing.get(cause, 0)) for cause in reasons]
        common = ordinary.get(source, 0)
        by_common_word = f"{show.count(common)} by a common word" if common else ""
        leaked = Cell(show.count(of_source.names_leaked), by_common_word)
        length = number(of_source.mean_characters, 0, NO_SUMMARY)
        rows.append(
            [
                source,
                show.count(of_source.n),
                *absent,
                leaked,
                share(of_source.names_leaked, of_source.n, NO_SUMMARY),
                length,
            ]
        )
    headings = ["Summaries by", "Written", *(f"Missing: {cause}" for cause in reasons)]
    return table(
        "written",
        "Summaries by who wrote them",
        [*headings, "That name the unit", "Of all, %", "Mean characters"],
        rows,
        note="A summary that names the unit tells a matcher that sees words what to look for. By a common "
        "word: the name is one that a summary may well use without meaning the unit.",
    )
