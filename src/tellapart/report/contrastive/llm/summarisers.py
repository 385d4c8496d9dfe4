"""Who wrote the summaries: how many, which are missing, and how many name what they must not name."""

from __future__ import annotations

from tellapart.report import numbers as show
from tellapart.report.contrastive.record import Figures, View
from tellapart.report.contrastive.tables import number
from tellapart.report.contrastive.verdict import Comparison, Status, comparisons
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


def leak_lines(view: View) -> list[str]:
    """Caution where one writer leads another and leaked names alone could be why."""
    found = view.figures.get("summaries") or {}
    if len(found) < 2:
        return []
    worst: dict[tuple[str, str], tuple[float, str]] = {}
    for one in comparisons(view):
        pair = _writers(view, one)
        if pair:
            ahead, behind = pair
            more = leak_share(found[ahead]) - leak_share(found[behind])
            lead = abs(one.difference or 0.0)
            if more > 0 and leak_share(found[ahead]) >= lead:
                worst[pair] = max(worst.get(pair, (0.0, "")), (lead, one.level))
    return [_caution(ahead, behind, *found_at, found) for (ahead, behind), found_at in worst.items()]


def leak_share(of_source: Figures) -> float:
    """Share of a writer's summaries that name their unit; 0 without any."""
    share: float = of_source["names_leaked"] / of_source["n"] if of_source["n"] else 0.0
    return share


def _writers(view: View, one: Comparison) -> tuple[str, str] | None:
    """Who wrote for the leading model and for the other, where only that differs."""
    if one.status is not Status.APART or one.leader is None:
        return None
    ahead, behind = one.leader, one.b if one.leader == one.a else one.a
    if view.matchers.get(ahead) != view.matchers.get(behind):
        return None
    return view.sources[ahead], view.sources[behind]


def _caution(ahead: str, behind: str, lead: float, level: str, found: Figures) -> str:
    counts = [
        f"{show.count(found[who]['names_leaked'])} of {show.count(found[who]['n'])}"
        for who in (ahead, behind)
    ]
    return (
        f"Careful: {counts[0]} summaries by {ahead} name the unit, {counts[1]} by {behind}; a lead of up to "
        f"{show.points(lead)[1:]} points ({level}) could come from that alone."
    )
