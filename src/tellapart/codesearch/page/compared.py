"""What is compared: several systems as a page, and the iterations of a loop as sections of one."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.codesearch.looping.trend import History, TrendIteration, change_since
from tellapart.codesearch.page.tables import Rows, mean_of
from tellapart.codesearch.system_comparison import SystemsCompared
from tellapart.core.comparison import GateOutcome, from_json
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, opening, present
from tellapart.report.figures import cell, headings, in_words, interval_cell
from tellapart.report.screen import differences, ranking
from tellapart.report.tables import Cell, Table, table


def document(compared: SystemsCompared) -> Document:
    """Arrange a comparison of systems: the verdict with the ranking and the differences, then the pairs."""
    comparison = compared.comparison
    strata = block.strata_table(comparison)
    cautions = [f"{show.capital(block.sentence(caution))}." for caution in comparison.cautions[1:]]
    measure = in_words(compared.measure)
    title, rest = opening(block.headline_sentences(comparison, measure=measure))
    return Document(
        "codesearch: which of several systems finds the files",
        title,
        (*rest, *cautions, *(f"{sentence}." for sentence in compared.sentences)),
        {
            "Systems": show.listed(list(compared.systems)),
            "Conversations": show.count(compared.conversations),
            "Measure": measure,
        },
        (
            Section(
                "comparison",
                "Which systems differ",
                tables=(block.pair_table(comparison, what="systems"),),
                folded=() if strata is None else (strata,),
                in_terminal=True,
            ),
        ),
        {
            f"Explorers of {name}": f"{explorers.run_a}, {explorers.run_b}"
            for name, explorers in compared.explorers.items()
        },
        ranking=ranking(compared.ranking, block.Scale()),
        differences=differences(comparison),
    )


def sections(history: History) -> Iterator[Section]:
    """The iterations, and whether the last one differs from the one before."""
    shown = present(gates(history), iterations(history))
    yield Section("trend", "Loop", " ".join(history.notes), tables=shown, in_terminal=True)
    last = history.iterations[-1]
    if last.comparison is not None:
        title = f"Does the last iteration differ? By {in_words(last.compared_by)}"
        yield block.section(from_json(last.comparison), title=title, what="iterations")


def iterations(history: History) -> Table:
    """Precision and recall of each iteration, and the change since the one before."""
    names = list(dict.fromkeys(name for each in history.iterations for name in each.measures))
    rows: Rows = []
    for iteration in history.iterations:
        measures = iteration.measures
        rows.append(
            [
                Cell(str(iteration.iteration), "" if iteration.reliable else "unreliable"),
                *(mean_of(name, measures[name], bounds=True) for name in names),
                _change(iteration),
                cell("conversations", iteration.conversations),
                _since(iteration),
            ]
        )
    by = history.iterations[-1].compared_by
    changes = f"Changes are in {in_words(by)}, over the conversations that both have. " if by else ""
    return table(
        "trend",
        "Precision and recall by iteration (95 % interval)",
        ["Iteration", *headings([*names, "change", "conversations"]), "The search found"],
        rows,
        note=f"{changes}Where verdicts are missing there is no value; its bounds stand in brackets.",
    )


def _since(iteration: TrendIteration) -> Cell:
    """Whether the search found the same as in the iteration before, and why the explorations may not."""
    same = {None: "", True: "just the same files", False: "other files"}[iteration.same_files]
    why = ""
    if iteration.same_explorers is False:
        why = "other explorers, so no change is held to the limit"
    elif iteration.same_ground_truth is False:
        why = "explorations found other files, so a change may come from them"
    return Cell(same, why)


def _change(iteration: TrendIteration) -> Cell:
    """The change since the iteration before, with its interval; empty for the first."""
    if iteration.comparison is None:
        return Cell("")
    difference, interval, verdict = change_since(iteration)
    return interval_cell("change", difference, interval, verdict if difference is not None else "")


def gates(history: History) -> Table | None:
    """Areas that fell by more than the limit, or may have; None where none did."""
    rows: Rows = [
        [
            gate.area,
            in_words(gate.measure),
            "worse" if gate.gate.outcome is GateOutcome.FAILED else f"cannot tell: {gate.gate.reason}",
            gate.gate.baseline,
            gate.fall,
        ]
        for gate in history.gates
    ]
    title = "Areas that got worse, or may have"
    heads = ["Area", "Measure", "Verdict", "Against", *headings(["change"])]
    return table("fallen", title, heads, rows, words=4) if rows else None
