"""What the page of an audit says in words: causes, actions and flags, and a sentence for each figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tellapart.audit.results import Caution, Findings, Fix, OpenEnds, Pair, Ranked, Stratum
from tellapart.report import comparison
from tellapart.report import numbers as show
from tellapart.report.comparison import NAME, Scale, sentence
from tellapart.report.plain_text import shortened

SIGNS = {"a>b": ">", "b>a": ">", "equivalent": "=", "not_separated": "?", "withheld": "!"}
"""Between the two models of a pair, the one ahead first."""

CAUSES = {
    "ceiling": "the items are too easy",
    "floor": "the items are too hard",
    "too_few_items": "too few items",
    "too_few_sources": "too few sources",
    "too_few_labels": "too few labels",
    "replicate_noise": "answers differ from run to run",
    "grader_noise": "the grader is not consistent",
    "broken_items": "items rank the models backwards",
    "missing_data": "missing scores could undo it",
    "no_scores": "one has no score at all",
    "equivalent": "they are equivalent",
    "not_independent": "what they are measured against is not independent of them",
}
"""Why two models are not separated, after a colon."""

ACTIONS = {
    "add_items": "add items",
    "harder_items": "add harder items",
    "easier_items": "add easier items",
    "add_replicates": "ask again",
    "repeat_grading": "grade again",
    "label_more": "label more answers",
    "drop_items": "check broken items",
    "rerun_missing": "rerun what is missing",
    "choose_otherwise": "choose by something else",
}

FLAGS = {
    "all_pass": "passed by every model",
    "all_fail": "failed by every model",
    "negative_discrimination": "rank the models backwards",
}
"""What is the matter with items."""

_OF_GRADES = {"all_pass": "best score from every model", "all_fail": "worst score from every model"}

SEPARATE_NOTHING = ("all_pass", "all_fail")
"""Flags of items with which nothing need be wrong; those with another look broken."""

PARTS = {
    "model": "between models",
    "item": "between items",
    "model_item": "model × item",
    "replicate": "between answers",
    "grading": "between gradings",
}
"""Parts of the variance, in the order in which they are listed."""


def phrase(words: dict[str, str], key: str) -> str:
    """Give the words for a key; one that has none is shown as words itself."""
    return words.get(key, key.replace("_", " "))


NO_SCORE, FEW_LABELS = "nothing was scored", "too few labels"


def no_mean(ranked: Ranked) -> str:
    """Write why a model has no mean: without a score, or with too few labels to correct those it has."""
    return FEW_LABELS if ranked.n else NO_SCORE


def flag_words(findings: Findings) -> dict[str, str]:
    """Give the words for flags; those of scores that are no rates speak of grades, not of passing."""
    return FLAGS if scale(findings).rates else FLAGS | _OF_GRADES


def scale(findings: Findings) -> Scale:
    """Find out how the scores of an audit are shown."""
    return Scale.of(findings.limits)


def bounds(of: Scale, ends: OpenEnds, *, gap: bool = False) -> str:
    """Write bounds over missing scores: one figure where nothing is missing, words for no limit."""
    form = of.gap if gap else of.mean
    if ends[0] is not None and ends[0] == ends[1]:
        return form(ends[0])
    low, high = ("no limit" if end is None else form(end) for end in ends)
    return f"{low} to {high}"


FEW = 3
"""So many models are named; of more, only the number."""


def kinds(findings: Findings) -> dict[str, list[tuple[str, Stratum]]]:
    """Give the kinds of items by column, with their values, those that separate most first."""

    def share(kind: tuple[str, Stratum]) -> tuple[float, str]:
        value, stratum = kind
        return 1.0 if stratum.separated_paired is None else -stratum.separated_paired, value

    columns = findings.by_stratum.items()
    return {column: sorted(values.items(), key=share) for column, values in columns if values}


def headline(findings: Findings) -> str:
    """Write in one or two sentences which models are separated, and why not the others."""
    return ". ".join(headline_sentences(findings))


def headline_sentences(findings: Findings) -> list[str]:
    """The sentences of `headline`, without full stops."""
    causes = {(pair.a, pair.b): why(pair) for pair in findings.pairs}
    return comparison.headline_sentences(
        findings.comparison, lambda pair: causes[pair.a, pair.b], scale(findings)
    )


def verdict(findings: Findings) -> list[str]:
    """List what to know before the figures, then what to do."""
    return [*to_know_first(findings), *advice(findings)]


def separation(findings: Findings) -> str:
    """Write how many pairs the evaluation separates, by two definitions; empty without a pair."""
    shares = []
    if findings.separated_paired is not None:
        shares.append(f"{show.whole_percent(findings.separated_paired)} of pairs by the paired test")
    if findings.separated_arena_hard is not None:
        share = show.whole_percent(findings.separated_arena_hard)
        shares.append(f"{share} by Arena-Hard's definition (intervals of the means do not overlap)")
    if findings.signal_to_noise is not None:
        shares.append(f"signal to noise {show.significant(findings.signal_to_noise)}")
    return f"Separation: {'; '.join(shares)}." if shares else ""


def to_know_first(findings: Findings) -> list[str]:
    """List what to know before any figure: cautions, and what is missing by cause."""
    return before_figures(findings.comparison.cautions[1:], findings.cautions, findings.missing)


def before_figures(
    comparison: Sequence[str], scores: Sequence[Caution], without: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """List the cautions of a comparison, then those of its scores and what is missing, unless they say so."""
    is_said = any(caution.kind == "missing" for caution in scores)
    return [*comparison, *(caution.text for caution in scores), *([] if is_said else missing(without))]


def missing(scores: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Write in one sentence which scores are missing and why; empty when none are."""
    causes: Counter[str] = Counter()
    for of_model in scores.values():
        causes.update(of_model)
    if not causes:
        return []
    counts = show.listed([f"{show.count(number)} {cause}" for cause, number in causes.most_common()])
    models = [model for model, of_model in scores.items() if sum(of_model.values())]
    whom = (
        show.listed(list(map(_cut, models)))
        if len(models) <= FEW
        else f"{len(models)} of {len(scores)} models"
    )
    return [f"Scores missing: {counts}, of {whom}."]


def why(pair: Pair) -> str:
    """Write why a pair is not separated: its causes, or why nothing was tested."""
    if pair.why:
        return show.listed([phrase(CAUSES, cause.cause) for cause in pair.why])
    return sentence(pair.reason) or "the cause is not known"


def cheapest(pair: Pair) -> str:
    """Write the cheapest fix of a pair; empty without one."""
    return sentence(pair.fix[0].text) if pair.fix else ""


def names(pair: Pair) -> str:
    """Name both models of a pair, the one ahead first, with names cut to ``NAME``."""
    return f"{_cut(pair.ahead)} and {_cut(pair.behind)}"


def briefly(fix: Fix) -> str:
    """Write in a few words what a fix is and what it costs."""
    if fix.cost_items:
        return f"+{comparison.about(fix.cost_items)} item{'s' if fix.cost_items > 1 else ''}"
    if fix.action == "rerun_missing" and fix.cost_answers:
        return f"{phrase(ACTIONS, fix.action)}, {show.count(fix.cost_answers)} in all"
    if fix.cost_replicates:
        return f"{phrase(ACTIONS, fix.action)}, {show.plural(fix.cost_replicates, 'time')} per item"
    if fix.action == "drop_items" and fix.items:
        return f"check {show.plural(len(fix.items), 'item')}"
    return phrase(ACTIONS, fix.action)


def advice(findings: Findings) -> list[str]:
    """Write what these items resolve, what more would do, and the cheapest fix where it is not more items."""
    lines, best = comparison.outlook(findings.comparison, scale(findings)), findings.cheapest
    if best is None or best.fix[0].action == "add_items":
        return lines
    whom = "" if len(findings.unseparated) == 1 else f" for {names(best)}"
    return [*lines, f"What to do{whom}: {cheapest(best)}."]


def _cut(name: str) -> str:
    return shortened(name, NAME)


def items(findings: Findings) -> str:
    """Count the items that look broken, and those that only separate no models, by flag."""
    if not findings.items_flagged and not findings.suspects.items:
        return f"none of {show.plural(findings.items, 'item')} is flagged"
    broken = {flagged.item for flagged in findings.items_flagged if flagged.reason not in SEPARATE_NOTHING}
    idle = {flagged.item for flagged in findings.items_flagged} - broken
    of = f" of {show.plural(findings.items, 'item')}"
    parts = []
    if broken:
        looks = "looks" if len(broken) == 1 else "look"
        parts.append(
            f"{show.count(len(broken))}{of} {looks} broken ({_by_kind(findings, broken, idle=False)})"
        )
    if idle:
        others = (" other" if len(idle) == 1 else " others") if broken else of
        separate = "separates" if len(idle) == 1 else "separate"
        counted = _by_kind(findings, idle, idle=True)
        parts.append(f"{show.count(len(idle))}{others} {separate} no models ({counted})")
    if findings.suspects.items:
        number = len(findings.suspects.items)
        expected = show.decimal(findings.suspects.expected_backwards, 0)
        listed = ", ".join(_cut(item) for item in findings.suspects.items)
        parts.append(
            f"check the keys of {listed}: about {expected} of these {number} are expected to rank models "
            "backwards"
        )
    return "; ".join(parts)


def _by_kind(findings: Findings, chosen: set[str], *, idle: bool) -> str:
    counts: Counter[str] = Counter(
        flagged.reason
        for flagged in findings.items_flagged
        if flagged.item in chosen and (flagged.reason in SEPARATE_NOTHING) == idle
    )
    return ", ".join(
        f"{phrase(flag_words(findings), kind)} {show.count(counts[kind])}"
        for kind in flagged_by_kind(findings)
        if counts[kind]
    )


def flagged_by_kind(findings: Findings) -> dict[str, int]:
    """Count items by flag, in the order of ``FLAGS``."""
    counts: Counter[str] = Counter(flagged.reason for flagged in findings.items_flagged)
    return {flag: counts[flag] for flag in FLAGS if counts[flag]}


def judge(findings: Findings) -> str:
    """Say how good the judge is by people's labels, and what the verdict would be without them."""
    card, of = findings.labels, scale(findings)
    if card is None:
        return ""
    parts = []
    if card.agreement is not None:
        span = card.agreement_interval
        between = f"{show.decimal(span.low, 2)} to {show.decimal(span.high, 2)}; " if span else ""
        parts.append(f"agreement {show.decimal(card.agreement, 2)} ({between}1 is perfect, 0 chance)")
    if card.favours:
        parts.append(f"it favours {show.listed(list(map(_cut, card.favours)))}")
    if card.width_ratio is not None:
        share = show.whole_percent(card.width_ratio)
        parts.append(f"with it, intervals are {share} as wide as by the labels alone")
    lead = f"people labelled {show.plural(card.answers, 'answer')} to {show.plural(card.n, 'item')}"
    alone = comparison.headline_sentences(card.judge_alone, scale=of)[0]
    return f"{'; '.join([lead, *parts])}. Without the labels it would say: {alone}"


def reliability(findings: Findings) -> str:
    """Write the coefficient with what it was computed over, or why there is none."""
    result = findings.reliability
    if result.value is None:
        return f"no {result.name}: {sentence(result.reason)}"
    over = f"{show.plural(len(result.over_models), 'model')} and {show.plural(result.items, 'item')}"
    meaning = "at 1, all items order the models alike"
    return f"{result.name} {show.decimal(result.value, 2)} ({meaning}), over {over}"


def variance(findings: Findings) -> str:
    """List the share of each part of the variance, then the parts that were not recorded."""
    shares = variance_shares(findings)
    if not shares:
        return f"not known: {sentence(findings.variance.reason)}"
    parts = ", ".join(f"{show.whole_percent(share)} {PARTS[name]}" for name, share in shares.items())
    unknown = [PARTS[name] for name, value in findings.variance.parts.items() if value is None]
    return f"{parts}{f'; not recorded: {show.listed(unknown)}' if unknown else ''}"


def variance_shares(findings: Findings) -> dict[str, float]:
    """Share of each part that is known, by name; empty where none is or nothing varies."""
    # An estimate of a variance can be negative where the true one is near 0.
    recorded = {name: max(0.0, value) for name, value in findings.variance.parts.items() if value is not None}
    total = sum(recorded.values())
    return {name: value / total for name, value in recorded.items()} if total > 0 else {}


def order(findings: Findings) -> str:
    """List the figures of how stable the order of the models is."""
    result = findings.order
    taus = {
        "between random halves of the items": result.halves_tau,
        "with and without the items that rank backwards": result.without_flagged,
    }
    figures = [f"{show.decimal(value, 2)} {name}" for name, value in taus.items() if value is not None]
    order = f"order of the models {', '.join(figures)} (Kendall's τ; 1 is the same order)" if figures else ""
    projected = result.spearman_brown
    means = "" if projected is None else f"means {show.decimal(projected, 2)} (Spearman–Brown)"
    return "; ".join(filter(None, [order, means])) or f"not known: {sentence(result.reason)}"
