"""Scoreboards as a report: which figures stand where."""

from __future__ import annotations

import shlex
from dataclasses import replace

from tellapart.audit.linked_audit import items_of_pairs
from tellapart.bundles.page.charts import margins_chart
from tellapart.bundles.page.slices import slice_tables
from tellapart.bundles.page.tables import hardest_table, pass_rates, queries, ranks
from tellapart.bundles.page.view import STAMP, Report, headline_sentences, verdict
from tellapart.bundles.tier_names import TIERS
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Links, Section, opening, present
from tellapart.report.screen import differences

_UNFOLDED = 25
"""Slices of a table that a page shows at once."""


def document(report: Report, links: Links = ()) -> Document:
    """Arrange scoreboards: the verdict, pairs, slices, tables by tier, margins, the hardest bundles."""
    items = items_of_pairs(links)
    sections: list[Section] = []
    if report.comparison:
        strata = block.strata_table(report.comparison, order=report.slices.values if report.slices else TIERS)
        pairs = block.pair_table(report.comparison, items=items)
        sections = [Section("comparison", "Which models differ", tables=(pairs,), folded=present(strata))]
    if report.slices:
        tables = tuple(slice_tables(report.slices.record))
        title = "By kind of negative" if report.slices.is_by_kind else f"By {block.words(report.slices.by)}"
        is_long = len(report.slices.values) > _UNFOLDED
        shown, folded = ((), tables) if is_long else (tables, ())
        sections.append(Section("slices", title, tables=shown, folded=folded))
    sections += [
        Section("tiers", "Pass rate by tier", tables=(pass_rates(report),)),
        Section(
            "margins",
            "Margins",
            "The margin is the similarity of the positive to the anchor minus that of the best negative: "
            "below zero the bundle fails, and how far below says how badly.",
            charts=(margins_chart(report),),
        ),
        Section("ranks", "Ranks", tables=(ranks(report), queries(report))),
        Section("hardest", "The hardest bundles", tables=(hardest_table(report),)),
    ]
    if report.boards.is_exploratory:
        sections = [replace(section, title=STAMP + section.title) for section in sections]
    title, rest = opening(headline_sentences(report))
    return Document(
        "bundles: is the positive nearer to its anchor than every negative",
        title,
        (*rest, *verdict(report)),
        _facts(report),
        tuple(sections),
        _origin(report),
        _commands(report),
        links,
        differences=differences(report.comparison, items=items),
    )


def _facts(report: Report) -> dict[str, str]:
    header = report.boards.boards[0].board.eval_header
    facts = {"Eval": header.eval_path, "Models": show.listed(report.boards.labels)}
    if report.boards.is_exploratory:
        if len({scored.fingerprint for scored in report.boards.boards}) == 1:
            return {**facts, "Bundles": "differ, some are left out"}
        return {"Models": facts["Models"], "Fingerprints": "differ, see how this was made"}
    if header.version:
        facts["Version"] = header.version
    facts["Bundles"] = show.count(header.item_count)
    if not report.boards.moved:
        counts = header.tier_distribution.items()
        facts["By tier"] = ", ".join(f"{tier} {show.count(n)}" for tier, n in counts)
    return facts


def _origin(report: Report) -> dict[str, str]:
    versions = dict.fromkeys(scored.board.tellapart_version for scored in report.boards.boards)
    origin = {"tellapart": ", ".join(versions)}
    for label, scored in report:
        name = f"EVAL_FINGERPRINT of {label}" if report.boards.is_exploratory else "EVAL_FINGERPRINT"
        origin[name] = scored.fingerprint
        if scored.board.checkpoint_path:
            origin[f"Checkpoint of {label}"] = scored.board.checkpoint_path
    return origin


def _commands(report: Report) -> tuple[str, ...]:
    """Lines that make this report again, as far as the record knows."""
    lines = []
    for _, scored in report:
        header = scored.board.eval_header
        words = ["score", header.eval_path, "--model", scored.board.model]
        lines.append([*words, "--seed", str(header.seed), "--out", str(scored.path)])
    last = ["report", *(str(scored.path) for _, scored in report)]
    last += ["--by", report.slices.by] if report.slices else []
    last += ["--allow-fingerprint-mismatch"] if report.boards.is_exploratory else []
    lines.append([*last, "--html", "report.html", "--markdown", "report.md"])
    return tuple(f"tellapart bundles {shlex.join(words)}" for words in lines)
