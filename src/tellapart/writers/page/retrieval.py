"""The section of a ranking about retrieval: ranks, kinds of query, and what was asked."""

from __future__ import annotations

from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.tables import Cell, Table, figure, table
from tellapart.writers.measures import CUTS
from tellapart.writers.page.cells import number, percent
from tellapart.writers.queries import KINDS
from tellapart.writers.retrieval_figures import Retrieval, WriterRanks

NO_RANKS = "no query has a rank"
_BOUNDS = (
    " Bounds, where summaries are missing: MRR if they were found last and before all others, and if they "
    "were found first."
)


def section(retrieval: Retrieval) -> Section:
    """Arrange the ranks."""
    queries = sum(retrieval.queries.by_kind.values())
    text = (
        "The summaries of each writer are an index of their own, and every query searches it "
        f"({_queries(queries)} from {retrieval.queries.source}). A query finds its unit "
        "at some rank; tied summaries stand in every order that their ties allow."
    )
    return Section("retrieval", "Retrieval", text, tables=tables(retrieval))


def tables(retrieval: Retrieval) -> tuple[Table, ...]:
    """Ranks over all queries, by kind of query, and by matcher."""
    return present(_overall(retrieval), _kinds(retrieval), _matchers(retrieval))


def sentences(retrieval: Retrieval) -> list[str]:
    """Say what to know of the queries before a verdict is believed."""
    counts, lines = retrieval.queries, []
    if counts.missing:
        by_kind = [
            f"{_kind(kind)} {show.count(sum(causes.values()))} ({', '.join(causes)})"
            for kind, causes in counts.missing.items()
        ]
        lines.append(f"Units without a query, asked of nobody: {'; '.join(by_kind)}.")
    if counts.repeated:
        repeated = _queries(counts.repeated)
        lines.append(f"Left out for all writers: {repeated} with the text of a writer's summary.")
    if counts.names_leaked:
        total = show.count(sum(counts.by_kind.values()))
        lines.append(f"Names leaked: {_queries(counts.names_leaked)} of {total} with the name of their unit.")
    lacking = [
        f"{writer} {show.count(ranks.missing)} "
        f"({', '.join(f'{show.count(n)} {cause}' for cause, n in ranks.missing_by_cause.items())})"
        for writer, ranks in retrieval.overall.items()
        if ranks.missing
    ]
    if lacking:
        lines.append(f"Ranks missing, since there is no summary of the unit: {'; '.join(lacking)}.")
    return lines


def _overall(retrieval: Retrieval) -> Table:
    rows: list[list[Cell | str]] = [
        [
            writer,
            _mrr(ranks),
            *(percent(ranks.measures[f"Success@{k}"], NO_RANKS) for k in CUTS),
            number(ranks.measures["nDCG@10"], NO_RANKS, 3),
            figure(ranks.mean_rank, lambda rank: show.decimal(rank, 1), NO_RANKS),
            show.count(retrieval.index[writer]),
            show.count(ranks.n),
        ]
        for writer, ranks in retrieval.overall.items()
    ]
    return table(
        "ranks",
        "Ranks of the unit that a query is about",
        ["Writer", "MRR", *(f"In first {k}, %" for k in CUTS), "nDCG@10", "Mean rank", "Index", "n"],
        rows,
        note="95 % intervals, clustered by file. Index: summaries that are searched. n: queries, each with "
        f"each matcher.{_BOUNDS if any(ranks.missing for ranks in retrieval.overall.values()) else ''}",
    )


def _kinds(retrieval: Retrieval) -> Table:
    counts = retrieval.queries
    rows: list[list[Cell | str]] = [
        [
            show.capital(_kind(kind)),
            what,
            *(
                _mrr(retrieval.by_kind[kind][writer]) if kind in retrieval.by_kind else Cell("")
                for writer in retrieval.overall
            ),
            show.count(counts.by_kind[kind]),
            show.count(sum(counts.missing.get(kind, {}).values())),
        ]
        for kind, what in KINDS.items()
    ]
    headings = ["Kind of query", "What is typed", *retrieval.overall, "Queries", "Units without"]
    return table("by-kind", "MRR by kind of query", headings, rows, words=2)


def _matchers(retrieval: Retrieval) -> Table | None:
    if len(retrieval.by_matcher) < 2:
        return None
    rows: list[list[Cell | str]] = [
        [matcher, *(_mrr(ranks[writer]) for writer in retrieval.overall)]
        for matcher, ranks in retrieval.by_matcher.items()
    ]
    return table("by-matcher", "MRR by matcher", ["Matcher", *retrieval.overall], rows)


def _mrr(ranks: WriterRanks) -> Cell:
    cell = number(ranks.measures["RR"], NO_RANKS, 3)
    if not (ranks.missing and ranks.mrr_bounds):
        return cell
    bounds = "–".join(show.decimal(end, 3) for end in ranks.mrr_bounds)
    return Cell(cell.text, "; ".join(filter(None, [cell.detail, f"bounds {bounds}"])), reason=cell.reason)


def _queries(number: int) -> str:
    return f"{show.count(number)} {'query' if number == 1 else 'queries'}"


def _kind(kind: str) -> str:
    return kind.replace("_", " ").replace("doc api", "doc API")
