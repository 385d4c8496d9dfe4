"""Several systems, or iterations of one, as a page: which differ."""

from __future__ import annotations

from tellapart.codesearch.system_comparison import SystemsCompared
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, opening
from tellapart.report.figures import in_words
from tellapart.report.screen import differences, ranking


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
