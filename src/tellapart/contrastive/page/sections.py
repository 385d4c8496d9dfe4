"""A contrastive run as a report: which figures stand where, and what is said about them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace

from tellapart.contrastive.excluding import excluded_lines
from tellapart.contrastive.masking import BLANK
from tellapart.contrastive.page import charts, methods, names, tables
from tellapart.contrastive.page.browser import items_widget
from tellapart.contrastive.page.llm_tables import (
    agreement,
    combined,
    flip_lines,
    flips,
    missing_tables,
    stated_confidence,
    writers,
)
from tellapart.contrastive.page.slots import by_fifth, slot_lines
from tellapart.contrastive.page.suspects import suspect_lines, suspect_table
from tellapart.contrastive.page.tables import WITHIN
from tellapart.contrastive.page.view import View, full_name, reasons_of
from tellapart.contrastive.selection.levels import POOL
from tellapart.core.comparison import ChanceOutcome, Comparison
from tellapart.report import comparison as block
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.browser import pair_address
from tellapart.report.document import Document, Links, Section, present
from tellapart.report.missing_reasons import in_words
from tellapart.report.tables import Table

WHERE_REPLIES_LIE = (
    "Every message and reply, with the model's reasoning, is in calls.jsonl of the run directory; those of "
    "summaries are in llm/calls.jsonl of the benchmark."
)


SCORE = "An item scores the reciprocal rank of its target: 1 where that comes first, 1/2 where second."
"""What differences are of."""


def document(view: View, links: Links = ()) -> Document:
    """Arrange a run: the verdict, what it rests on, the items, and how it was made."""
    sections = [section for build in _SECTIONS if (section := build(view))]
    return Document(
        "contrastive: pick the code that a summary describes",
        headline(view),
        tuple(sentences(view)),
        _facts(view),
        tuple(sections),
        _origin(view),
        _commands(view),
        links,
    )


def headline(view: View) -> str:
    """Give the verdict on the models in one sentence."""
    if view.comparison:
        return block.headline(view.comparison)
    return block.nothing_to_compare(view.run.scores().scored_models)


def sentences(view: View) -> list[str]:
    """Say what to know before a verdict is believed."""
    other = [*slot_lines(view), *flip_lines(view), *model_parameters.parameter_lines(view.language_models)]
    first = [*excluded_lines(view.exclusion), SCORE, *_writer_lines(view), *_control_lines(view)]
    return [
        *first,
        *names.name_lines(view),
        *missing_lines(view),
        *suspect_lines(view.suspect_effect),
        *other,
    ]


def _writer_lines(view: View) -> list[str]:
    """Give the order of the writers over all matchers; nothing where models are compared."""
    if not view.writers:
        return []
    order = ", ".join(f"{name} {show.decimal(mean)}" for name, mean in view.writers.items())
    matchers = show.listed(sorted(set(view.matchers.values())))
    return [f"Writers of the summaries, by mean reciprocal rank over {matchers}: {order}."]


def _control_lines(view: View) -> list[str]:
    """Say how models score when they are given the summary of another unit; nothing where none was."""
    shuffled = view.report.controls.get("shuffled", {})
    by_outcome: dict[ChanceOutcome, list[str]] = {}
    for model in (model for model in view.models if model in shuffled):
        by_outcome.setdefault(shuffled[model].outcome, []).append(model)
    if not by_outcome:
        return []
    if set(by_outcome) == {ChanceOutcome.AT}:
        return [f"Control: given the summary of another unit, every model scores at chance, {WITHIN}."]
    off = [*by_outcome.get(ChanceOutcome.ABOVE, []), *by_outcome.get(ChanceOutcome.BELOW, [])]
    unclear = by_outcome.get(ChanceOutcome.UNCLEAR, [])
    lines = []
    if off:
        lines.append(
            f"Check the benchmark: given the summary of another unit, {_are(off)} not at chance, not even "
            f"{WITHIN}."
        )
    if unclear:
        lines.append(
            "Control: given the summary of another unit, there are too few items to tell whether "
            f"{_are(unclear)} at chance, {WITHIN}."
        )
    return lines


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


def _are(models: list[str]) -> str:
    return f"{show.listed(models)} {'is' if len(models) == 1 else 'are'}"


def first_look(view: View) -> list[Table]:
    """Tables for a terminal: slots, what changed, both kinds of models, who wrote, and what calls took."""
    order = [by_fifth(view, brief=True), flips(view)] if view.llms else []
    models = [model_parameters.usage(view.language_models, WHERE_REPLIES_LIE)] if view.language_models else []
    return [*present(*order, agreement(view), combined(view), writers(view), *models)]


def _accuracy(view: View) -> Section:
    return Section(
        "accuracy",
        "Accuracy",
        "A model sees a summary and several pieces of code, and is right when it ranks the one that the "
        "summary describes first.",
        charts=(charts.accuracy_chart(view),),
        tables=(tables.accuracy_by_level(view), *missing_tables(view)),
        folded=(
            tables.ranks("ranks", "Ranks by level", "level", view.report.by_difficulty, view.models),
            tables.ranks(
                "overall", "Ranks over all levels", "levels", {"all": view.report.overall}, view.models
            ),
        ),
    )


def _pair_address(comparison: Comparison) -> block.PairLink:
    """Where the browser lists the items on which two models differ, of those that the verdict is about."""
    column, _, value = comparison.primary.scope.partition("=")
    level = {"level": value} if column == "difficulty" else {}
    return lambda a, b: pair_address(a, b, **level)


def _comparison(view: View) -> Section | None:
    if view.comparison is None:
        return None
    section = block.section(
        view.comparison,
        order=view.levels,
        # The browser holds answers of models, and a writer's are those of several.
        items=None if view.writers else _pair_address(view.comparison),
        title=f"Which {view.compared} differ",
        what=view.compared,
    )
    return replace(section, charts=(charts.items_needed_chart(view.comparison, view.levels),))


def _names(view: View) -> Section | None:
    by_names = names.accuracy_by_names(view)
    if by_names is None:
        return None
    return Section(
        "names",
        "Names",
        "The name of a unit stands in its code, and often in its summary. A model may find the code by the "
        "name alone.",
        tables=(by_names,),
        folded=tuple(names.pairs_by_names(view)),
    )


def _summaries(view: View) -> Section | None:
    table = writers(view)
    if table is None:
        return None
    text = "Whose summaries were compared. A target without a summary is missing for that writer, not wrong."
    return Section("summaries", "Summaries", text, tables=(table,))


def _order(view: View) -> Section | None:
    if not view.llms:
        return None
    return Section(
        "slots",
        "Order of the options",
        "A language model reads the options as a list. The target goes through the slots in turn, so that a "
        "preference for a slot helps and hurts every model alike, and shows.",
        charts=(charts.slots_chart(view),),
        tables=present(by_fifth(view), flips(view)),
    )


def _agreement(view: View) -> Section | None:
    tables = present(agreement(view), combined(view))
    text = "What a language model and an embedding model that saw the same options each got right."
    return Section("agreement", "Agreement", text, tables=tables) if tables else None


def _language_models(view: View) -> Section | None:
    models = view.language_models
    return model_parameters.section(models, WHERE_REPLIES_LIE) if models else None


def _distractors(view: View) -> Section:
    return Section(
        "distractors",
        "Distractors",
        charts=(charts.distractors_chart(view),) if view.report.by_distractor_count else (),
        tables=present(tables.distractors(view), tables.misses(view)),
        folded=(tables.distractor_counts(view),) if view.report.by_distractor_count else (),
    )


def _gaps(view: View) -> Section:
    confidence = stated_confidence(view)
    return Section(
        "gap",
        "Confidence" if confidence else "Confidence gap",
        charts=(charts.gaps_chart(view),) if view.embedders else (),
        tables=present(tables.gaps(view) if view.embedders else None, confidence),
    )


def _validation(view: View) -> Section | None:
    setups = view.validation
    if setups is None or not methods.setups(setups):
        return None
    return Section(
        "validation",
        "Against the original method",
        "The same targets and models under the original method, its repair and this suite's levels.",
        charts=tuple(charts.validation_charts(setups, view.comparison, view.models)),
        tables=tuple(methods.validation(setups, view.comparison)),
    )


def _bias(view: View) -> Section | None:
    if view.bias is None:
        return None
    chart = charts.bias_chart(view.bias)
    return Section(
        "bias",
        "Selection bias",
        "Whether a model suffers from distractors that it chose itself.",
        charts=present(chart),
        tables=tuple(methods.bias(view.bias)),
    )


def _checks(view: View) -> Section | None:
    shown = [
        *([tables.controls(view)] if view.embedders else []),
        *([tables.swaps(view)] if view.report.swap_accuracy else []),
    ]
    if not shown:
        return None
    return Section(
        "checks",
        "Controls",
        "Questions whose outcome is known beforehand show whether the evaluation itself is sound.",
        tables=tuple(shown),
    )


def _suspects(view: View) -> Section | None:
    suspects = suspect_table(view.suspect_effect)
    text = "Distractors that the summary may describe as well as it describes the target. Read them first."
    return Section("suspects", "Second right answers", text, tables=(suspects,)) if suspects else None


def _groups(view: View) -> Section:
    by_type, by_language = view.report.by_unit_type, view.report.by_language
    return Section(
        "groups",
        "Groups",
        tables=(tables.ranks("unit-types", "Ranks by type of unit", "type", by_type, view.models),),
        folded=(tables.ranks("languages", "Ranks by language", "language", by_language, view.models),),
    )


def _items(view: View) -> Section:
    return Section("items", "The items", widget=items_widget(view))


_SECTIONS: tuple[Callable[[View], Section | None], ...] = (
    _comparison,
    _accuracy,
    _names,
    _summaries,
    _order,
    _agreement,
    _language_models,
    _distractors,
    _gaps,
    _validation,
    _bias,
    _checks,
    _suspects,
    _groups,
    _items,
)
"""In the order of the page; one that a run has nothing for is left out."""


def _facts(view: View) -> dict[str, str]:
    counts = view.header.counts
    facts = {
        "Benchmark": view.report.fingerprint,
        "Models": show.listed(view.models),
        "Items": f"{show.count(sum(view.item_counts.values()))} at {show.plural(len(view.levels), 'level')}",
    }
    if "targets" in counts and "units" in counts:
        facts["Targets"] = f"{show.count(counts['targets'])} of {show.count(counts['units'])} units"
    if view.header.choices.mask_names:
        facts["Names"] = f"masked: {BLANK} stands for a unit's own name"
    combined = [rank.combined for rank in (view.report.combined or {}).values()]
    if len(combined) == 1 and combined[0] is not None:
        facts["Combined MRR"] = show.decimal(combined[0])
    return facts


def _origin(view: View) -> dict[str, str]:
    header = view.header
    fingerprints = {
        f"Model {name}": model["fingerprint"]
        for name, model in view.record.models.items()
        if "fingerprint" in model
    }
    return {
        "tellapart": view.record.tellapart_version,
        "Benchmark": view.report.fingerprint,
        "Seed": str(view.record.seed),
        "Selector": header.selector_fingerprint,
        **fingerprints,
    }


def _commands(view: View) -> tuple[str, ...]:
    """Lines that make this report again; the repositories are not in the record."""
    header, chosen = view.header, view.header.choices
    build = [
        "build",
        "REPO",
        "--out",
        "BENCH",
        "--levels",
        ",".join(header.levels),
        "--selector",
        header.selector,
    ]
    build += ["--seed", str(header.seed), "--targets", str(header.counts["targets"])]
    build += ["--candidates", chosen.candidates]
    build += ["--languages", ",".join(chosen.languages)] if chosen.languages else []
    build += ["--mask-names"] if chosen.mask_names else []
    build += ["--cross-language"] if chosen.cross_language else []
    writers = {"jsonl": "FILE", "llm": ",".join(header.counts.get("summaries_missing", {}))}
    if chosen.summaries in writers:
        build += ["--summaries", f"{chosen.summaries}:{writers[chosen.summaries]}"]
    run = ["run", "BENCH", "--out", "RUN"]
    config = view.record.config
    run += [word for name in config.get("models", []) for word in ("--model", name)]
    run += [word for llm in config.get("llms", []) for word in ("--llm", llm["model"])]
    run += [
        word
        for name, times in config.get("plan", {}).items()
        if times > 1
        for word in (f"--{name}", str(times))
    ]
    if config.get("primary"):
        run += ["--primary", "=".join(config["primary"])]
    report = ["report", "RUN", "--html", "report.html", "--markdown", "report.md"]
    report += ["--exclude", str(view.exclusion.path)] if view.exclusion else []
    return tuple(f"tellapart contrastive {shlex.join(words)}" for words in (build, run, report))
