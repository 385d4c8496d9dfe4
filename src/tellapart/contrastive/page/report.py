"""A contrastive run as a report, as JSON and for experiment trackers."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Any

from tellapart.cli.settings import words
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.masking import BLANK
from tellapart.contrastive.page import (
    accuracy,
    browser,
    controls,
    language_models,
)
from tellapart.contrastive.page.view import Exclusion, View
from tellapart.contrastive.selection.levels import levels_named
from tellapart.core.comparison import to_json
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Links, Section, opening, pair_address, present
from tellapart.report.screen import differences, ranking
from tellapart.report.tracked import Figure, Tracked, pair_figures, tracked, with_ends

SCORE = "Scores are reciprocal ranks of the target: 1 where it comes first, 1/2 where second."
"""What means and differences are of."""


def _comparison(view: View) -> Section | None:
    """The verdict with its pairs; nothing where only one model has a score."""
    comparison = view.comparison
    if comparison is None:
        return None
    what = "writers" if view.compares_writers else "models"
    column, _, value = comparison.primary.scope.partition("=")
    level = {"level": value} if column == "difficulty" else {}
    return block.section(
        comparison,
        order=view.levels,
        # The browser holds answers of models, and a writer's are those of several.
        items=None if view.compares_writers else lambda a, b: pair_address(a, b, **level),
        title=f"Which {what} differ",
        what=what,
    )


_SECTIONS: tuple[Callable[[View], Section | None], ...] = (
    _comparison,
    accuracy.section,
    language_models.summaries_section,
    language_models.slots_section,
    language_models.combined_section,
    language_models.calls_section,
    controls.distractors,
    accuracy.gaps,
    controls.section,
    controls.suspects_section,
    accuracy.groups,
    browser.section,
)
"""In the order of the page; one that a run has nothing for is left out."""


def document(view: View, links: Links = ()) -> Document:
    """Arrange a run."""
    title, rest = opening(headline_sentences(view))
    return Document(
        "contrastive: pick the code that a summary describes",
        title,
        (*rest, *sentences(view)),
        _facts(view),
        present(*(build(view) for build in _SECTIONS)),
        _origin(view),
        _commands(view),
        links,
        ranking=ranking(view.ranking, block.Scale()),
        differences=differences(view.comparison),
    )


def headline_sentences(view: View) -> list[str]:
    """Give the verdict, without full stops, and, where names are not masked, what names alone answer."""
    verdict = (
        block.headline_sentences(view.comparison)
        if view.comparison
        else [block.nothing_to_compare(view.scores.scored_models)]
    )
    if view.header.choices.mask_names:
        return verdict
    return [*verdict, *(line.removesuffix(".") for line in controls.names_alone(view))]


def sentences(view: View) -> list[str]:
    """Say what to know before a verdict is believed."""
    # A verdict has its cautions beside it.
    cautions = () if view.comparison else view.scores.notes.cautions
    return [
        *_excluded_lines(view.exclusion),
        *(f"Beware: {block.sentence(text)}." for text in cautions),
        SCORE,
        *controls.selection_lines(view),
        *controls.alarms(view),
        *language_models.missing_lines(view),
        *language_models.slot_lines(view),
    ]


def _excluded_lines(exclusion: Exclusion | None) -> list[str]:
    """Say how many items were left out, and by which file."""
    if exclusion is None:
        return []
    items = len(exclusion.items)
    return [
        f"Left out after the scores were known: {show.count(items)} of {show.count(exclusion.of)} items "
        f"({show.percent(items / exclusion.of)}), by {exclusion.path.name} (SHA-256 {exclusion.sha256[:12]})."
    ]


def _facts(view: View) -> dict[str, str]:
    counts = view.header.counts
    items = sum(items for items, _, _ in view.by_level.values())
    facts = {
        "Benchmark": view.report.fingerprint,
        "Models": show.listed(view.models),
        "Items": f"{show.count(items)} at {show.plural(len(view.levels), 'level')}",
        "Targets": f"{show.count(counts['targets'])} of {show.count(counts['units'])} units",
    }
    if set(view.models) & set(view.sources.values()):
        facts["Matched by"] = show.listed(sorted(set(view.matchers.values())))
    if view.header.choices.mask_names:
        facts["Names"] = f"masked: {BLANK} stands for a unit's own name"
    combined = list((view.report.combined or {}).values())
    if len(combined) == 1:
        facts["Combined MRR"] = show.decimal(combined[0].combined)
    return facts


def _origin(view: View) -> dict[str, str]:
    fingerprints = {
        f"Model {name}": model["fingerprint"]
        for name, model in view.run.record.models.items()
        if "fingerprint" in model
    }
    return {
        "tellapart": view.run.record.tellapart_version,
        "Benchmark": view.report.fingerprint,
        "Seed": str(view.run.record.seed),
        "Selector": view.header.selector_fingerprint,
        **fingerprints,
    }


def _commands(view: View) -> tuple[str, ...]:
    """Lines that make this report again; the repositories are not in the record."""
    header, chosen, config = view.header, view.header.choices, view.run.record.config
    options = BuildOptions(
        languages=tuple(chosen.languages),
        targets=header.counts["targets"],
        levels=levels_named(header.levels),
        cross_language=chosen.cross_language,
        mask_names=chosen.mask_names,
        seed=header.seed,
    )
    build = ["build", "REPO", "--out", "BENCH", *words(options), "--selector", header.selector]
    build += ["--candidates", chosen.candidates]
    writers = {"jsonl": "FILE", "llm": ",".join(header.counts.get("summaries_missing", {}))}
    if chosen.summaries in writers:
        build += ["--summaries", f"{chosen.summaries}:{writers[chosen.summaries]}"]
    run = ["run", "BENCH", "--out", "RUN"]
    run += [word for name in config.get("models", []) for word in ("--model", name)]
    run += [word for llm in config.get("llms", []) for word in ("--llm", llm["model"])]
    for name, times in config.get("plan", {}).items():
        run += [f"--{name}", str(times)] if times > 1 else []
    run += ["--primary", "=".join(config["primary"])] if config.get("primary") else []
    report = ["report", "RUN", "--html", "report.html", "--markdown", "report.md"]
    report += ["--exclude", str(view.exclusion.path)] if view.exclusion else []
    return tuple(f"tellapart contrastive {shlex.join(line)}" for line in (build, run, report))


def json_figures(view: View) -> dict[str, Any]:
    """Give all figures for scripts: those stored, and the comparison of the models."""
    results = view.report.to_json()
    results["suspects"] = [suspect.to_json() for suspect in view.suspects]
    if (left_out := view.exclusion) is not None:
        items = len(left_out.items)
        results["excluded"] = {"sha256": left_out.sha256, "items": items, "of": left_out.of}
    return results if view.comparison is None else {**results, "comparison": to_json(view.comparison)}


def tracked_figures(view: View) -> Tracked:
    """Give experiment trackers the figures of each model, overall and by level, and those of the pairs."""
    return tracked("contrastive", _figures(view))


def _figures(view: View) -> Iterator[Figure]:
    for scope, by_model in {"overall": view.report.overall, **view.report.by_difficulty}.items():
        for model, result in by_model.items():
            yield from with_ends((scope, model, "accuracy"), result.accuracy, result.accuracy_ci)
            yield from (((scope, model, name), getattr(result, name)) for name in accuracy.SHOWN[1:])
            yield (scope, model, "missing"), result.askings_missing
    if view.comparison is not None:
        yield from pair_figures(view.comparison.primary.pairs)
