"""Charts of an audit, each with the sentence that it proves."""

from __future__ import annotations

from tellapart.audit.page.sentences import scale
from tellapart.audit.results import Findings, Pair
from tellapart.report.browser import pair_address
from tellapart.report.charts import WIDE, Chart, Drawing, Tile, heatmap
from tellapart.report.charts.axes import LETTER, room_for
from tellapart.report.palette import GRID, INK, PAPER, looks

MOST_ROWS = 60
"""Models that are drawn, those with the highest means."""

SMALLEST = 22
"""Pixels of the smallest tile that its sign can be read in."""

MOST_NEIGHBOURS = 12

_ROOMY = 58
"""Pixels of a tile that has room for a difference."""

_STYLES = [look.colour for look in looks("abcdefgh").values()]
_SIGNS = {"better": ">", "worse": "<", "equivalent": "=", "not_separated": "?", "withheld": "!"}
_GROUNDS = {
    "better": (_STYLES[5], PAPER),
    "worse": (_STYLES[5], PAPER),
    "equivalent": (GRID, INK),
    "not_separated": (PAPER, INK),
    "withheld": (_STYLES[6], PAPER),
}
"""Ground and ink of a tile: the signs tell them apart without colour."""


def matrix_chart(findings: Findings) -> Chart:
    """Each model against those below it in the ranking: better, equivalent, not separated or withheld."""
    many = _is_many(findings, WIDE)
    whom = (
        f"the next {_columns(findings, WIDE)} below it in the ranking"
        if many
        else "each that is ranked below it"
    )
    rows = f" The first {MOST_ROWS} models are shown." if len(findings.models) > MOST_ROWS else ""
    description = (
        f"Each model, the best first, against {whom}: > it is better, < it is worse, = they are equivalent, "
        "? they are not separated, ! the verdict is withheld."
        f"{rows}"
    )
    return Chart("matrix", _who_leads(findings), description, lambda width: _matrix(findings, width))


def _who_leads(findings: Findings) -> str:
    if len(findings.pairs) == 1:
        pair = findings.pairs[0]
        verbs = {"equivalent": "are equivalent", "withheld": "could change places"}
        if pair.is_separated:
            return f"{pair.ahead} is better than {pair.behind}"
        return f"{pair.names} {verbs.get(pair.verdict, 'are not separated')}"
    lead = findings.ranking[0].model
    beaten = sum(pair.is_separated and pair.ahead == lead for pair in findings.pairs)
    others = len(findings.models) - 1
    first = (
        f"{lead} is better than every other model"
        if beaten == others
        else f"{lead} has the highest mean and is separated from {beaten or 'none'} of {others} others"
    )
    beside = _beside(findings)
    apart = sum(pair.is_separated for pair in beside)
    verb = "is" if apart == 1 else "are"
    return f"{first}; {apart or 'none'} of {len(beside)} neighbouring pairs in the ranking {verb} separated"


def _beside(findings: Findings) -> list[Pair]:
    rank = findings.order_of
    return [pair for pair in findings.pairs if abs(rank[pair.a] - rank[pair.b]) == 1]


def _numbered(findings: Findings) -> list[str]:
    return [f"{i} {ranked.model}" for i, ranked in enumerate(findings.ranking, 1)]


def _room(findings: Findings, width: int) -> int:
    return width - room_for(_numbered(findings)[:MOST_ROWS], width) - 14


def _is_many(findings: Findings, width: int) -> bool:
    """Whether there are too many models for each to have a column."""
    return len(findings.models) - 1 > _room(findings, width) // SMALLEST


def _columns(findings: Findings, width: int) -> int:
    most = min(_room(findings, width) // SMALLEST, MOST_NEIGHBOURS)
    return most if _is_many(findings, width) else len(findings.models) - 1


def _matrix(findings: Findings, width: int) -> Drawing:
    names, heads = _matrix_names(findings, width)
    tiles = _tiles(findings, width)
    return heatmap(
        tiles,
        width,
        rows=names,
        columns=heads,
        heads="top",
        largest=(96, 34 if len(names) <= 12 else SMALLEST),
    )


def _matrix_names(findings: Findings, width: int) -> tuple[list[str], list[str]]:
    """Names of rows and columns: nothing is ranked below the last model, and the first is below none."""
    models = [ranked.model for ranked in findings.ranking]
    columns = _columns(findings, width)
    if _is_many(findings, width):
        heads = [f"+{i}" for i in range(1, columns + 1)]
    elif max(map(len, models)) * LETTER > min(96, _room(findings, width) // columns):
        heads = [str(i) for i in range(2, len(models) + 1)]
    else:
        heads = models[1:]
    return _numbered(findings)[:-1][:MOST_ROWS], heads


def _tiles(findings: Findings, width: int) -> list[Tile]:
    """A tile a pair; the columns are models, or places further down where there are many."""
    names, heads = _matrix_names(findings, width)
    rank, form, many = findings.order_of, scale(findings), _is_many(findings, width)
    roomy = min(96, _room(findings, width) // len(heads)) >= _ROOMY
    tiles = []
    for pair in findings.pairs:
        i, j = sorted((rank[pair.a], rank[pair.b]))
        column = j - i - 1 if many else j - 1
        if i >= len(names) or column >= len(heads):
            continue
        kind = pair.verdict if not pair.is_separated else "better" if rank[pair.ahead] == i else "worse"
        text, (ground, ink) = _SIGNS[kind], _GROUNDS[kind]
        lead, _ = pair.of(pair.ahead)
        if roomy and lead is not None:
            text = f"{text} {form.gap(-lead if kind == 'worse' else lead)}"
        link = pair_address(pair.ahead, pair.behind) if findings.item_scores else ""
        tiles.append(Tile(names[i], heads[column], text, colour=ground, ink=ink, link=link))
    return tiles
