"""Several systems, or iterations of one, as a page: which differ, and what each found for every issue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tellapart.audit.linked_audit import items_of_pairs
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.score_tables import joint_scores_of, measure_in_words
from tellapart.codesearch.model import Case
from tellapart.codesearch.system_comparison import SystemsCompared
from tellapart.readers import Reading
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Links, Section, opening
from tellapart.report.screen import differences
from tellapart.store import ItemText


def document(compared: SystemsCompared, links: Links = ()) -> Document:
    """Arrange a comparison of systems: the verdict, then the pairs, which link to the audit."""
    comparison, record = compared.comparison, compared.record
    strata = block.strata_table(comparison)
    cautions = [f"{show.capital(block.sentence(caution))}." for caution in comparison.cautions[1:]]
    measure = measure_in_words(record.measure)
    title, rest = opening(block.headline_sentences(comparison, measure=measure))
    return Document(
        "codesearch: which of several systems finds the files",
        title,
        (*rest, *cautions, *(f"{sentence}." for sentence in record.sentences)),
        {
            "Systems": show.listed(list(record.systems)),
            "Conversations": show.count(record.conversations),
            "Measure": measure,
        },
        (
            Section(
                "comparison",
                "Which systems differ",
                "A difference leads to the conversations on which the two systems differ."
                if items_of_pairs(links)
                else "",
                tables=(block.pair_table(comparison, items=items_of_pairs(links), what="systems"),),
                folded=() if strata is None else (strata,),
            ),
        ),
        {
            f"Explorers of {name}": f"{explorers.run_a}, {explorers.run_b}"
            for name, explorers in record.explorers.items()
        },
        links=links,
        differences=differences(comparison, items=items_of_pairs(links)),
    )


def reading_of(evaluations: Mapping[str, Evaluation], measure: str) -> Reading:
    """Give the scores of systems as an audit takes them, under the names that a report has for them."""
    return Reading(joint_scores_of(evaluations, measure), forms={})


def texts_of(evaluations: Mapping[str, Evaluation]) -> dict[str, tuple[ItemText, ...]]:
    """Give each issue, and of every system what it found and what it missed, by conversation."""
    texts: dict[str, tuple[ItemText, ...]] = {}
    for name, evaluation in evaluations.items():
        for case in evaluation.cases:
            issue = ItemText("Issue", case.issue_summary)
            before = texts.get(case.id, (issue,) if issue.text else ())
            texts[case.id] = (*before, *_files(name, case))
    return texts


def _files(system: str, case: Case) -> Iterator[ItemText]:
    files = [f"{file}: {_standing(case, file)}" for file in case.files]
    yield ItemText(f"Found by {system}", "\n".join(files) or "nothing")
    if case.ground_truth_unique:
        yield ItemText(f"Missed by {system}", "\n".join(sorted(case.ground_truth_unique)))


def _standing(case: Case, file: str) -> str:
    """What is known of a file that the system found."""
    if file in case.in_both_runs:
        return "both explorations found it"
    if file in case.ground_truth:
        return "an exploration found it"
    if file in case.without_verdict:
        return "no verdict"
    return "relevant by the judge" if file in case.our_unique_relevant else "not relevant by the judge"
