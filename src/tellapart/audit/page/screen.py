"""An audit on one screen: the verdict, then a line a pair, a kind of items and a model."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tellapart.audit.page import sentences
from tellapart.audit.page.sentences import (
    SIGNS,
    advice,
    briefly,
    cheapest,
    headline,
    kinds,
    scale,
    to_know_first,
    why,
)
from tellapart.audit.results import Findings, Pair, Ranked, Stratum
from tellapart.report import numbers as show
from tellapart.report.comparison import sentence
from tellapart.report.plain_text import plain, shortened

LINES, COLUMNS = 40, 100
"""A screen."""

_MOST_ROWS, _FEWEST_PAIRS, _MOST_FIRST = 6, 6, 6
_NAME = 24
"""Columns that a name may take."""

_MORE = "--json or --html"


@dataclass(frozen=True)
class Line:
    """A line of a terminal.

    Attributes:
        text: Without styles.
        style: As rich names it.
        indent: Columns before it, also where it is wrapped.
        above: Empty lines above it.
    """

    text: str
    style: str = ""
    indent: int = 0
    above: int = 0

    @property
    def height(self) -> int:
        """Lines that it takes on a screen."""
        return self.above + max(1, len(textwrap.wrap(self.text, COLUMNS - self.indent)))


def terminal(findings: Findings) -> list[RenderableType]:
    """Show the verdict first, then pairs, kinds of items, order and items, on one screen."""
    return [_shown(line) for line in terminal_lines(findings)]


def terminal_lines(findings: Findings) -> list[Line]:
    """Arrange an audit for a screen; a list that is too long ends with a line about the rest."""
    above = [
        Line(plain(f"{headline(findings)}."), "bold"),
        *(Line(plain(text)) for text in [" ".join(advice(findings))] if text),
        *_first(findings),
    ]
    below = [*_strata(findings), *_ranking(findings), *_rest(findings)]
    room = LINES - sum(line.height for line in (*above, *below))
    return [*above, *_pairs(findings, room), *below]


def _shown(line: Line) -> RenderableType:
    """Make a line what rich prints."""
    text = Text("\n" * line.above + line.text, style=line.style)
    return Padding(text, (0, 0, 0, line.indent), expand=False) if line.indent else text


def _first(findings: Findings) -> list[Line]:
    lines = [Line(f"! {plain(text)}", "yellow") for text in to_know_first(findings)]
    if len(lines) > _MOST_FIRST:
        rest = len(lines) - _MOST_FIRST + 1
        lines = [*lines[: _MOST_FIRST - 1], Line(f"… and {rest} more notes: {_MORE}", "yellow")]
    return lines


def _pairs(findings: Findings, room: int) -> list[Line]:
    """A line a pair with why and the fix below it, those that are not separated first, as far as fits."""
    pairs = [*findings.unseparated, *findings.separated]
    if not pairs:
        return []
    unit = scale(findings).gap_unit
    heading = _heading(f"Pairs (difference in {unit}, its interval, p, p corrected for the number of pairs)")
    left = max(room - heading.height, _FEWEST_PAIRS)
    tried = pairs[: left + 1]
    width = min(2 * _NAME + 3, max(cell_len(_short(pair)) for pair in pairs[:LINES]))
    lines = [_pair_line(findings, pair, width) for pair in tried]
    for below in (_below, _below_briefly):
        blocks = [[line, *below(pair)] for line, pair in zip(lines, tried, strict=True)]
        if sum(line.height for block in blocks for line in block) <= left:
            return [heading, *(line for block in blocks for line in block)]
    return [heading, *_as_many(blocks, pairs, left)]


def _as_many(blocks: Sequence[Sequence[Line]], pairs: Sequence[Pair], left: int) -> list[Line]:
    """The blocks that fit, with a last line about those that do not."""
    lines: list[Line] = []
    for i, block in enumerate(blocks):
        height = sum(line.height for line in block)
        if height + (i + 1 < len(blocks)) > left:
            return [*lines, _rest_of_pairs(pairs[i:])]
        lines += block
        left -= height
    return lines


def _rest_of_pairs(pairs: Sequence[Pair]) -> Line:
    apart = sum(pair.is_separated for pair in pairs)
    separated = f", {show.count(apart)} of them separated" if apart else ""
    return Line(f"… and {show.count(len(pairs))} more pairs{separated}: {_MORE}", "dim")


def _pair_line(findings: Findings, pair: Pair, width: int) -> Line:
    form = scale(findings)
    lead, span = pair.of(pair.ahead)
    if lead is None:
        return Line(f"{_padded(_short(pair), width)}  {plain(sentence(pair.reason))}")
    interval = form.gap_span(span) if span else "no interval"
    p = (
        "no p"
        if pair.p is None or pair.p_adjusted is None
        else f"p {show.p_value(pair.p)}, corrected {show.p_value(pair.p_adjusted)}"
    )
    figures = f"{form.gap(lead):>6}  {interval:<16}  {p}"
    style = "" if pair.is_separated else "bold"
    return Line(f"{_padded(_short(pair), width)}  {figures}  {_verdict_word(pair)}".rstrip(), style)


def _verdict_word(pair: Pair) -> str:
    return (
        ""
        if pair.is_separated
        else {"equivalent": "equivalent", "withheld": "withheld"}.get(pair.verdict, "")
    )


def _short(pair: Pair) -> str:
    ahead, behind = (shortened(plain(name), _NAME) for name in (pair.ahead, pair.behind))
    return f"{ahead} {SIGNS[pair.verdict]} {behind}"


def _below(pair: Pair) -> list[Line]:
    if pair.is_separated:
        return []
    reason = sentence(pair.why[0].text) if pair.why else why(pair)
    lines = [Line(plain(f"why: {reason}"), "dim", 4)]
    fix = cheapest(pair)
    return [*lines, Line(plain(f"fix: {fix}"), "", 4)] if fix else lines


def _below_briefly(pair: Pair) -> list[Line]:
    if pair.is_separated:
        return []
    fix = f"; fix: {briefly(pair.fix[0])}" if pair.fix else ""
    return [Line(plain(f"why: {why(pair)}{fix}"), "dim", 4)]


def _strata(findings: Findings) -> list[Line]:
    lines: list[Line] = []
    for column, of_column in kinds(findings).items():
        if lines:
            break
        width = max(cell_len(shortened(plain(value), _NAME)) for value, _ in of_column)
        lines.append(_heading(f"By {column} (items, pairs separated)"))
        lines += [
            Line(f"{_padded(shortened(plain(value), _NAME), width)}  {_kind_figures(stratum)}")
            for value, stratum in of_column[:_MOST_ROWS]
        ]
        if len(of_column) > _MOST_ROWS:
            lines.append(Line(f"… and {len(of_column) - _MOST_ROWS} more kinds: {_MORE}", "dim"))
    others = list(kinds(findings))[1:]
    if others:
        lines.append(Line(plain(f"… and by {show.listed(others)}: {_MORE}"), "dim"))
    return lines


def _kind_figures(kind: Stratum) -> str:
    """Items and share separated in a few words."""
    share = kind.separated_paired
    separated = "no pair" if share is None else f"{show.whole_percent(share):>5} separated"
    return f"{show.plural(kind.items, 'item'):>12}  {separated}"


def _ranking(findings: Findings) -> list[Line]:
    lines = [_heading(f"Order (rank, ranks it may have, mean{scale(findings).unit})")]
    names = [shortened(plain(ranked.model), _NAME) for ranked in findings.ranking]
    width = max(map(cell_len, names), default=0)
    lines += [
        Line(_rank_line(findings, ranked, _padded(name, width)))
        for ranked, name in list(zip(findings.ranking, names, strict=True))[:_MOST_ROWS]
    ]
    if len(names) > _MOST_ROWS:
        lines.append(Line(f"… and {len(names) - _MOST_ROWS} more models: {_MORE}", "dim"))
    return lines


def _rank_line(findings: Findings, ranked: Ranked, name: str) -> str:
    if ranked.mean is None:
        return f" {show.DASH}  {'':5}  {name}  {sentences.FEW_LABELS if ranked.n else 'no score'}"
    form = scale(findings)
    between = show.between(ranked.rank_ci, lambda rank: str(int(rank))) if ranked.rank_ci else ""
    interval = f"  {form.span(ranked.ci)}" if ranked.ci else ""
    return f"{ranked.rank or show.DASH:>2}  {between:<5}  {name}  {form.mean(ranked.mean):>5}{interval}"


def _rest(findings: Findings) -> list[Line]:
    lines = {
        **({"Judge": sentences.judge(findings)} if findings.labels else {}),
        "Items": sentences.items(findings),
        "Reliability": sentences.reliability(findings),
        "Variance": sentences.variance(findings),
        "Stability": sentences.order(findings),
    }
    return [
        Line(plain(f"{name}: {text}"), above=int(name == next(iter(lines)))) for name, text in lines.items()
    ]


def _heading(text: str) -> Line:
    return Line(plain(text), "bold", above=1)


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - cell_len(text))
