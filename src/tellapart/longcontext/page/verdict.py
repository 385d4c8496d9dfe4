"""What graded conversations say, and what they cannot say: the headline, its sentences, and findings."""

from __future__ import annotations

from tellapart.core.stats.paired import PairedTest
from tellapart.longcontext.lint import counts, table_of
from tellapart.longcontext.page import scores
from tellapart.longcontext.page.view import View
from tellapart.longcontext.score_table import decisive, limitations
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Section
from tellapart.report.tables import Table


def findings_section(view: View) -> Section | None:
    """Errors and warnings."""
    shown, text = findings(view), f"{grave_count(view)}."
    return Section("findings", "Findings", text, tables=(shown,), in_terminal=True) if shown else None


def grave_count(view: View) -> str:
    """``7 errors and 2 warnings``."""
    numbers = counts(view.record.findings)
    return show.listed([show.plural(n, name) for name, n in numbers.items() if n and name != "info"])


def findings(view: View) -> Table | None:
    """Errors, then warnings; None without any."""
    grave = [one for one in view.record.findings if one.severity != "info"]
    return table_of(grave) if grave else None


def headline(view: View) -> str:
    """Whether the models differ; of one model how much it answers right, a doubt before numbers."""
    return ". ".join(headline_sentences(view))


def headline_sentences(view: View) -> list[str]:
    """The sentences of `headline`, without full stops."""
    if view.comparison is not None:
        return block.headline_sentences(view.comparison)
    if not view.probes:
        return ["Nothing was graded: no checkpoint and no verification was asked"]
    if scores.missing(view.probes) == len(view.probes):
        n = show.plural(len(view.probes), "grade")
        return [f"Nothing was graded: {n} missing ({scores.causes(view.probes)})"]
    answers = list[str]()
    for model in view.models:
        probes = view.of_model(model)
        lost = scores.missing(probes)
        of = f"{scores.right(probes)} of {show.plural(len(probes), 'probe')}"
        answers.append(f"{model} answers {of} right" + (f" ({lost} not graded)" if lost else ""))
    limit = decisive(view.record)
    if limit is None:
        return [", ".join(answers)]
    doubt = limit.text
    if limit.severity == "error":
        doubt = f"Not to be relied on: {limit.text[:1].lower()}{limit.text[1:]}"
    return [f"{doubt} {', '.join(answers)}"]


def sentences(view: View) -> list[str]:
    """What the headline rests on: other gradings, limits that it does not name, and who graded."""
    graded = [*_other_gradings(view), f"Graded by {scores.grader(view.record)}."]
    if view.comparison is not None:
        labelled = any(pair.test is PairedTest.LABELS for pair in view.comparison.primary.pairs)
        return [*graded, "Labels by people correct the verdict and the ranking."] if labelled else graded
    first = decisive(view.record)
    limits = [limit.text for limit in limitations(view.record) if limit != first]
    return [*limits, *graded]


def _other_gradings(view: View) -> list[str]:
    """Whether the verdict turns with the judge or its prompt, and how often the grades are the same."""
    if not view.others:
        return []
    category = {probe.place: probe.category for probe in view.probes if probe.value is not None}
    lines = [f"This grading is by {_grader(view)}."]
    for other in view.others:
        graded = [probe for probe in other.probes if probe.value is not None and probe.place in category]
        same = sum(category[probe.place] == probe.category for probe in graded)
        says = "" if other.comparison is None else f": {block.headline(other.comparison).removesuffix('.')}"
        both = show.plural(len(graded), "answer")
        lines.append(f"By {_grader(other)}{says}. Both give the same grade to {same} of {both}.")
    if view.comparison is not None:
        turns = any(_separated(other) != _separated(view) for other in view.others)
        lines.append(
            "The verdict between models turns with the judge or its prompt: do not rely on it."
            if turns
            else "The verdict between models is the same by each."
        )
    return lines


def _grader(view: View) -> str:
    standard = view.run.config.get("judge_standard") if view.run else None
    return scores.grader(view.record) + (f", {standard} prompt" if standard else "")


def _separated(view: View) -> set[tuple[str, str]]:
    """Pairs of models that are separated, the better one first."""
    pairs = view.comparison.primary.pairs if view.comparison else ()
    return {(pair.ahead, pair.behind) for pair in pairs if pair.is_separated}
