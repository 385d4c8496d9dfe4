"""Scoreboards and mined bundles as a report: which figures stand where, and what is said about them."""

from __future__ import annotations

import shlex
from dataclasses import replace

from tellapart.bundles.page import margins, mined
from tellapart.bundles.page.charts import margins_chart, passes_chart, ranks_chart, rates_chart
from tellapart.bundles.page.mined import Mined
from tellapart.bundles.page.verdict import STAMP, headline, verdict
from tellapart.bundles.page.view import View
from tellapart.bundles.results import MiningStats
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Links, Section


def document(view: View, found: Mined | None = None, links: Links = ()) -> Document:
    """Arrange scoreboards: the verdict, pairs, tables, distributions, the hardest bundles, what was mined.

    Args:
        view: The scoreboards.
        found: Mined bundles, if there are any.
        links: Other reports, and where they lie relative to this one.
    """
    sections = [*_comparison(view), _tiers(view), _margins(view), _ranks(view), _hardest(view)]
    if view.exploratory:
        sections = [replace(section, title=STAMP + section.title) for section in sections]
    if found:
        sections.append(_mined(found))
    return Document(
        "bundles: is the positive nearer to its anchor than every negative",
        headline(view),
        (*verdict(view), *(mined.sentences(found) if found else [])),
        _facts(view),
        tuple(sections),
        _origin(view, found),
        _commands(view, found),
        links,
    )


def _comparison(view: View) -> list[Section]:
    """Which models differ; the verdict itself is the title of the document."""
    if view.comparison is None:
        return []
    strata = block.strata_table(view.comparison, order=view.tiers)
    return [
        Section(
            "comparison",
            "Which models differ",
            tables=(block.pair_table(view.comparison),),
            folded=(strata,) if strata else (),
        )
    ]


def _tiers(view: View) -> Section:
    return Section(
        "tiers",
        "Pass rate by tier",
        charts=(rates_chart(view),),
        tables=(margins.pass_rates(view),),
    )


def _margins(view: View) -> Section:
    return Section(
        "margins",
        "Margins",
        "The margin is the similarity of the positive to the anchor minus that of the best negative: below "
        "zero the bundle fails, and how far below says how badly.",
        charts=(margins_chart(view),),
    )


def _ranks(view: View) -> Section:
    return Section("ranks", "Ranks", charts=(ranks_chart(view),), tables=(margins.ranks(view),))


def _hardest(view: View) -> Section:
    return Section("hardest", "The hardest bundles", tables=(margins.hardest_table(view),))


def _mined(found: Mined) -> Section:
    stats = found.stats
    return Section(
        "mined",
        "Mined bundles",
        "A candidate is tested in several lineups, independent draws of negatives, and accepted if it is "
        "dangerous in enough of them: what is dangerous once may have met one unlucky draw.",
        charts=(passes_chart(stats),) if stats else (),
        tables=(*((mined.rates_table(stats),) if stats else ()), mined.strengths_table(found)),
        folded=(mined.passes_table(stats),) if stats else (),
        passages=mined.examples(found),
    )


def _facts(view: View) -> dict[str, str]:
    header = view.boards[0].scoreboard.eval_header
    found = {"Eval": header.eval_path, "Models": show.listed(view.models)}
    if view.exploratory:
        if len({board.scoreboard.eval_header.fingerprint for board in view.boards}) == 1:
            return {**found, "Bundles": "differ, some are left out"}
        return {"Models": found["Models"], "Fingerprints": "differ, see how this was made"}
    if header.version:
        found["Version"] = header.version
    found["Bundles"] = show.count(header.item_count)
    if not view.moved:
        found["By tier"] = ", ".join(
            f"{tier} {show.count(n)}" for tier, n in header.tier_distribution.items()
        )
    return found


def _origin(view: View, found: Mined | None) -> dict[str, str]:
    made = {
        "tellapart": ", ".join(dict.fromkeys(board.scoreboard.tellapart_version for board in view.boards))
    }
    for board in view.boards:
        name = f"EVAL_FINGERPRINT of {board.label}" if view.exploratory else "EVAL_FINGERPRINT"
        made[name] = board.scoreboard.eval_header.fingerprint
    for board in view.boards:
        if board.scoreboard.checkpoint_path:
            made[f"Checkpoint of {board.label}"] = board.scoreboard.checkpoint_path
    if found and found.stats:
        stats = found.stats
        if stats.events_fingerprint:
            made["Events mined"] = stats.events_fingerprint[:16]
        if stats.model:
            made["Mined with"] = stats.model
        if stats.parameters:
            made["Parameters"] = ", ".join(f"{name} {value}" for name, value in stats.parameters.items())
    return made


def _commands(view: View, found: Mined | None) -> tuple[str, ...]:
    """Lines that make this report again, as far as the record knows."""
    lines = []
    for board in view.boards:
        header = board.scoreboard.eval_header
        words = ["score", header.eval_path, "--model", board.scoreboard.model]
        lines.append([*words, "--seed", str(header.seed), "--out", str(board.path)])
    if found and found.stats:
        lines.append(_mine(found, found.stats))
    report = ["report", *(str(board.path) for board in view.boards)]
    if found:
        report += ["--mined", str(found.path)]
        report += ["--stats", str(found.stats_path)] if found.stats_path else []
    report += ["--allow-fingerprint-mismatch"] if view.exploratory else []
    lines.append([*report, "--html", "report.html", "--markdown", "report.md"])
    return tuple(f"tellapart bundles {shlex.join(words)}" for words in lines)


def _mine(found: Mined, stats: MiningStats) -> list[str]:
    """The line that mined; the events are known by their fingerprint only."""
    options = {name.replace("_", "-"): str(value) for name, value in stats.parameters.items()}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    ends = ["--out", str(found.path), "--stats", str(found.stats_path)]
    return ["mine", "EVENTS", "--model", stats.model or "MODEL", *words, *ends]
