"""Language and embedding models on the same items."""

from __future__ import annotations

from tellapart.contrastive.page.record import Figures, View
from tellapart.contrastive.page.tables import number
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

NOT_RECORDED = "not in the record"
NOT_BOTH = "not both kinds of models answered"


def agreement(view: View) -> Table | None:
    """How often both put the same option first, and which of them is right; None where there is no pair."""
    found = view.figures.get("agreement") or []
    if not found:
        return None
    several = len({view.sources[pair["llm"]] for pair in found}) > 1
    rows: list[list[Cell | str]] = []
    for pair in found:
        shares = [_share(pair[name], pair["n"]) for name in _COLUMNS]
        rows.append(
            [
                *_who(view, pair, several),
                _share(pair["same_pick"], pair["n"]),
                number(pair["kappa"], 2, "one of the two is always right, or always wrong"),
                *shares,
                show.count(pair["n"]),
            ]
        )
    headings = [*(["summaries"] if several else []), "language model", "embedding model"]
    return table(
        "agreement",
        "Agreement of language and embedding models: which of the two is right, % of items",
        [*headings, "same choice", "κ", *_COLUMNS.values(), "items"],
        rows,
        note="Of the items that both answered. Same choice: both put the same option first. κ: Cohen's, of "
        "being right; 0 is what chance gives, 1 is always together.",
        words=len(headings),
    )


def combined(view: View) -> Table | None:
    """Mean reciprocal rank of both kinds of models, and its mean; None where not both answered."""
    found = view.figures.get("combined") or {}
    if not found:
        return None
    rows: list[list[Cell | str]] = [
        [
            source,
            *(number(of_source[name], reason=NOT_BOTH) for name in ("embedding", "llm", "combined")),
            *(_count(of_source.get(name)) for name in ("n", "missing")),
        ]
        for source, of_source in found.items()
    ]
    return table(
        "combined",
        "Mean reciprocal rank of embedding models, of language models, and combined",
        ["summaries", "embedding models", "language models", "combined", "items", "missing"],
        rows,
        note="Combined is the mean of the two, over the items that both kinds answered.",
    )


_COLUMNS = {
    "both_right": "both right",
    "only_llm": "language only",
    "only_embedding": "embedding only",
    "both_wrong": "neither",
}


def _who(view: View, pair: Figures, several: bool) -> list[str]:
    """Both models; of several writers of summaries first the writer, who is then not in the models' names."""
    models = [pair["llm"], pair["embedding"]]
    return [view.sources[pair["llm"]], *(view.matchers[model] for model in models)] if several else models


def _count(items: int | None) -> Cell | str:
    return undefined(NOT_RECORDED) if items is None else show.count(items)


def _share(count: float, n: int) -> Cell:
    return Cell(show.rate(count / n)) if n else undefined("no item that both answered")
