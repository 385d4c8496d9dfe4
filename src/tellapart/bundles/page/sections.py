"""Scoreboards as a report: which figures stand where, and how each is introduced."""

from __future__ import annotations

import shlex
from dataclasses import replace

from tellapart.audit.linked_audit import items_of_pairs
from tellapart.bundles.page.charts import margins_chart, rates_chart
from tellapart.bundles.page.slices import LISTED, slice_tables, title
from tellapart.bundles.page.tables import hardest_table, pass_rates, queries, ranks
from tellapart.bundles.page.verdict import STAMP, headline_sentences, verdict
from tellapart.bundles.page.view import View
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Links, Section, opening
from tellapart.report.screen import differences


def document(view: View, links: Links = ()) -> Document:
    """Arrange scoreboards: the verdict, pairs, tables, distributions, the hardest bundles."""
    compared = _comparison(view, items_of_pairs(links))
    sections = [
        *compared,
        *_slices(view),
        _tiers(view),
        _margins(view),
        _ranks(view),
        _hardest(view),
    ]
    if view.exploratory:
        sections = [replace(section, title=STAMP + section.title) for section in sections]
    title, rest = opening(headline_sentences(view))
    return Document(
        "bundles: is the positive nearer to its anchor than every negative",
        title,
        (*rest, *verdict(view)),
        _facts(view),
        tuple(sections),
        _origin(view),
        _commands(view),
        links,
        differences=differences(view.comparison, items=items_of_pairs(links)),
    )


def _comparison(view: View, items: block.PairLink | None) -> list[Section]:
    """Which models differ; the verdict itself is the title of the document, the items are in the audit."""
    if view.comparison is None:
        return []
    strata = block.strata_table(view.comparison, order=view.strata)
    return [
        Section(
            "comparison",
            "Which models differ",
            tables=(block.pair_table(view.comparison, items=items),),
            folded=(strata,) if strata else (),
        )
    ]


def _slices(view: View) -> list[Section]:
    if view.slices is None:
        return []
    tables = tuple(slice_tables(view.slices))
    section = Section("slices", title(view.slices))
    if len(view.slices.values) > LISTED:
        return [replace(section, folded=tables)]
    return [replace(section, tables=tables)]


def _tiers(view: View) -> Section:
    return Section(
        "tiers",
        "Pass rate by tier",
        charts=(rates_chart(view),),
        tables=(pass_rates(view),),
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
    return Section("ranks", "Ranks", tables=(ranks(view), queries(view)))


def _hardest(view: View) -> Section:
    return Section("hardest", "The hardest bundles", tables=(hardest_table(view),))


def _facts(view: View) -> dict[str, str]:
    header = view.boards[0].scoreboard.eval_header
    facts = {"Eval": header.eval_path, "Models": show.listed(view.models)}
    if view.exploratory:
        if len({board.scoreboard.eval_header.fingerprint for board in view.boards}) == 1:
            return {**facts, "Bundles": "differ, some are left out"}
        return {"Models": facts["Models"], "Fingerprints": "differ, see how this was made"}
    if header.version:
        facts["Version"] = header.version
    facts["Bundles"] = show.count(header.item_count)
    if not view.moved:
        facts["By tier"] = ", ".join(
            f"{tier} {show.count(n)}" for tier, n in header.tier_distribution.items()
        )
    return facts


def _origin(view: View) -> dict[str, str]:
    origin = {
        "tellapart": ", ".join(dict.fromkeys(board.scoreboard.tellapart_version for board in view.boards))
    }
    for board in view.boards:
        name = f"EVAL_FINGERPRINT of {board.label}" if view.exploratory else "EVAL_FINGERPRINT"
        origin[name] = board.scoreboard.eval_header.fingerprint
    for board in view.boards:
        if board.scoreboard.checkpoint_path:
            origin[f"Checkpoint of {board.label}"] = board.scoreboard.checkpoint_path
    return origin


def _commands(view: View) -> tuple[str, ...]:
    """Lines that make this report again, as far as the record knows."""
    lines = []
    for board in view.boards:
        header = board.scoreboard.eval_header
        words = ["score", header.eval_path, "--model", board.scoreboard.model]
        lines.append([*words, "--seed", str(header.seed), "--out", str(board.path)])
    report = ["report", *(str(board.path) for board in view.boards)]
    report += ["--by", view.slices.by] if view.slices else []
    report += ["--allow-fingerprint-mismatch"] if view.exploratory else []
    lines.append([*report, "--html", "report.html", "--markdown", "report.md"])
    return tuple(f"tellapart bundles {shlex.join(words)}" for words in lines)
