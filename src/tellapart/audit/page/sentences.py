"""What the page of an audit says in sentences about its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from tellapart.audit.results import Caution, Findings, Flag, OpenEnds, Pair
from tellapart.core.comparison.judge import JudgeCard
from tellapart.report import comparison
from tellapart.report import numbers as show
from tellapart.report.comparison import FEW, NAME, Scale, sentence
from tellapart.report.figures import cell
from tellapart.report.plain_text import shortened

SEPARATE_NOTHING = (Flag.ALL_PASS, Flag.ALL_FAIL)
"""Flags of items with which nothing need be wrong; those with another look broken."""


def scale(findings: Findings) -> Scale:
    """Find out how the scores of an audit are shown."""
    return Scale.of(findings.limits)


def flag_words(findings: Findings) -> dict[Flag, str]:
    """Give the words for flags; those of scores that are no rates speak of grades, not of passing."""
    grades = {Flag.ALL_PASS: "best score from every model", Flag.ALL_FAIL: "worst score from every model"}
    return {flag: flag.words for flag in Flag} | ({} if scale(findings).rates else grades)


def bounds(of: Scale, ends: OpenEnds) -> str:
    """Write bounds over missing scores: one figure where nothing is missing, words for no limit."""
    return " to ".join(dict.fromkeys("no limit" if end is None else of.mean(end) for end in ends))


def headline_sentences(findings: Findings) -> list[str]:
    """Say which models are separated, and why not the others; without full stops."""
    causes = {(pair.a, pair.b): why(pair) for pair in findings.pairs}
    return comparison.headline_sentences(
        findings.comparison, lambda pair: causes[pair.a, pair.b], scale(findings)
    )


def headline(findings: Findings) -> str:
    """The same as one text."""
    return ". ".join(headline_sentences(findings))


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
    """Say in one sentence which scores are missing and why; nothing when none are."""
    causes: Counter[str] = Counter()
    for of_model in scores.values():
        causes.update(of_model)
    if not causes:
        return []
    counts = show.listed([f"{show.count(number)} {cause}" for cause, number in causes.most_common()])
    models = [_cut(model) for model, of_model in scores.items() if sum(of_model.values())]
    whom = show.listed(models) if len(models) <= FEW else f"{len(models)} of {len(scores)} models"
    return [f"Scores missing: {counts}, of {whom}."]


def why(pair: Pair) -> str:
    """Say why a pair is not separated: its causes, or why nothing was tested."""
    if pair.why:
        return show.listed([cause.cause.words for cause in pair.why])
    return sentence(pair.reason) or "the cause is not known"


def advice(findings: Findings) -> list[str]:
    """Say what these items resolve, what more would do, and the cheapest fix where it is not more items."""
    lines, best = comparison.outlook(findings.comparison, scale(findings)), findings.cheapest
    if best is None or best.fix[0].action == "add_items":
        return lines
    whom = "" if len(findings.unseparated) == 1 else f" for {_cut(best.ahead)} and {_cut(best.behind)}"
    return [*lines, f"What to do{whom}: {sentence(best.fix[0].text)}."]


def what_helps(findings: Findings) -> str:
    """Count the causes, and the cheapest actions, over the pairs that are not separated."""
    pairs = findings.unseparated
    if not pairs:
        return "Every pair is separated: nothing to fix." if findings.pairs else ""
    causes = Counter(pair.why[0].cause.words for pair in pairs if pair.why)
    actions = Counter(pair.fix[0].action.words for pair in pairs if pair.fix)
    common = {"Why": causes, "What helps most cheaply": actions}
    counted = {
        what: ", ".join(f"{words} ({show.plural(n, 'pair')})" for words, n in counts.most_common())
        for what, counts in common.items()
    }
    return " ".join(f"{what}: {counts}." for what, counts in counted.items() if counts)


def separation(findings: Findings) -> str:
    """Say how many pairs the evaluation separates, by two definitions; empty without a pair."""
    shares = []
    if findings.separated_paired is not None:
        shares.append(f"{show.whole_percent(findings.separated_paired)} of pairs by the paired test")
    if findings.separated_arena_hard is not None:
        share = show.whole_percent(findings.separated_arena_hard)
        shares.append(f"{share} by Arena-Hard's definition (intervals of the means do not overlap)")
    if findings.signal_to_noise is not None:
        shares.append(f"signal to noise {show.significant(findings.signal_to_noise)}")
    return f"Separation: {'; '.join(shares)}." if shares else ""


def items(findings: Findings) -> str:
    """Count the items that look broken, and those that only separate no models, by flag."""
    suspects = findings.suspects
    if not findings.items_flagged and not suspects.items:
        return f"none of {show.plural(findings.items, 'item')} is flagged"
    broken = {flagged.item for flagged in findings.items_flagged if flagged.reason not in SEPARATE_NOTHING}
    idle = {flagged.item for flagged in findings.items_flagged} - broken
    of = f" of {show.plural(findings.items, 'item')}"
    parts = []
    if broken:
        kinds = [flag for flag in Flag if flag not in SEPARATE_NOTHING]
        looks = "looks" if len(broken) == 1 else "look"
        parts.append(f"{show.count(len(broken))}{of} {looks} broken ({_by_flag(findings, broken, kinds)})")
    if idle:
        others = (" other" if len(idle) == 1 else " others") if broken else of
        separate = "separates" if len(idle) == 1 else "separate"
        counted = _by_flag(findings, idle, SEPARATE_NOTHING)
        parts.append(f"{show.count(len(idle))}{others} {separate} no models ({counted})")
    if suspects.items:
        expected = show.decimal(suspects.expected_backwards, 0)
        parts.append(
            f"check the keys of {', '.join(map(_cut, suspects.items))}: about {expected} of these "
            f"{len(suspects.items)} are expected to rank models backwards"
        )
    return "; ".join(parts)


def _by_flag(findings: Findings, chosen: Collection[str], flags: Sequence[Flag]) -> str:
    words = flag_words(findings)
    counts = Counter(one.reason for one in findings.items_flagged if one.item in chosen)
    return ", ".join(f"{words[flag]} {show.count(counts[flag])}" for flag in flags if counts[flag])


def judge(card: JudgeCard, scale: Scale) -> str:
    """Say how good the judge is by people's labels, and what the verdict would be without them."""
    parts = [f"people labelled {show.plural(card.answers, 'answer')} to {show.plural(card.n, 'item')}"]
    if card.agreement is not None:
        span = card.agreement_interval
        between = f"{show.decimal(span.low, 2)} to {show.decimal(span.high, 2)}; " if span else ""
        parts.append(f"agreement {show.decimal(card.agreement, 2)} ({between}1 is perfect, 0 chance)")
    if card.favours:
        parts.append(f"it favours {show.listed(list(map(_cut, card.favours)))}")
    for family, bias in card.families.items():
        if bias.interval.low > 0:
            by, ends = scale.size(bias.bias), scale.sizes(bias.interval)
            parts.append(f"it favours models of {_cut(family)} by {by} beside the rest ({ends})")
    if card.width_ratio is not None:
        share = show.whole_percent(card.width_ratio)
        parts.append(f"with it, intervals are {share} as wide as by the labels alone")
    alone = comparison.headline_sentences(card.judge_alone, scale=scale)[0]
    return f"{'; '.join(parts)}. Without the labels it would say: {alone}"


def reliability(findings: Findings) -> str:
    """Give the coefficient with what it was computed over, or say why there is none."""
    result = findings.reliability
    if result.value is None:
        return f"no {result.name}: {sentence(result.reason)}"
    over = f"{show.plural(len(result.over_models), 'model')} and {show.plural(result.items, 'item')}"
    value = cell("reliability", result.value).text
    return f"{result.name} {value} (at 1, all items order the models alike), over {over}"


def variance_shares(findings: Findings) -> dict[str, float]:
    """Share of each part that is known, by name; empty where none is or nothing varies."""
    recorded = {name: value for name, value in findings.variance.parts.items() if value is not None}
    total = sum(recorded.values())
    return {name: value / total for name, value in recorded.items()} if total > 0 else {}


def _cut(name: str) -> str:
    return shortened(name, NAME)
