"""Who wrote the summaries: how many, which are missing, and how many name what they must not name."""

from __future__ import annotations

from tellapart.contrastive.page.record import View
from tellapart.contrastive.page.tables import number
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

NO_SUMMARY = "there is no summary"


def written(view: View) -> Table | None:
    """Summaries by their source; None where no language model wrote any."""
    found = view.figures.get("summaries") or {}
    if not found:
        return None
    ordinary = view.header["counts"].get("names_leaked_ordinary", {})
    reasons = sorted({cause for of_source in found.values() for cause in of_source["missing"]})
    rows: list[list[Cell | str]] = []
    for source, of_source in found.items():
        absent = [show.count(of_source["missing"].get(cause, 0)) for cause in reasons]
        leaked, n = of_source["names_leaked"], of_source["n"]
        share = Cell(show.rate(leaked / n)) if n else undefined(NO_SUMMARY)
        common = ordinary.get(source, 0)
        named = Cell(show.count(leaked), f"{show.count(common)} by a common word" if common else "")
        length = number(of_source["mean_characters"], 0, NO_SUMMARY)
        rows.append([source, show.count(n), *absent, named, share, length])
    headings = ["summaries by", "written", *(f"missing: {cause}" for cause in reasons)]
    return table(
        "written",
        "Summaries by who wrote them",
        [*headings, "that name the unit", "of all, %", "mean characters"],
        rows,
        note="A summary that names the unit tells a matcher that sees words what to look for. By a common "
        "word: the name is one that a summary may well use without meaning the unit.",
    )
