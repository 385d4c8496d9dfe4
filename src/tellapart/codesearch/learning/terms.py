"""Search terms: what each led to, and how much of it to nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.codesearch.learning.labels import LabelledCase
from tellapart.codesearch.learning.learnings import TermRecord


def term_facts(cases: Sequence[LabelledCase]) -> list[TermRecord]:
    """Count by term; those that led to more noise than relevant files come first."""
    terms = sorted(set().union(*(case.terms for case in cases)))
    return sorted((_facts(cases, term) for term in terms), key=_order)


def _order(fact: TermRecord) -> tuple[int, int, str]:
    return fact.relevant_alone - fact.noise_alone, -fact.noise, fact.term


def _facts(cases: Sequence[LabelledCase], term: str) -> TermRecord:
    using = [case for case in cases if term in case.terms]
    there = [frozenset(file for file, terms in case.by_file.items() if term in terms) for case in using]
    alone = [case.alone(term) for case in using]

    def count(which: str, files_by_case: Sequence[frozenset[str]]) -> int:
        return sum(
            len(getattr(case.labels, which) & files) for case, files in zip(using, files_by_case, strict=True)
        )

    files = sum(len(case.by_file) for case in using)
    relevant, noise, open_ = (count(which, there) for which in ("relevant", "noise", "open"))
    return TermRecord(
        term=term,
        conversations=tuple(case.id for case in using),
        files=files,
        relevant=relevant,
        noise=noise,
        open=open_,
        relevant_alone=count("relevant", alone),
        noise_alone=count("noise", alone),
        open_alone=count("open", alone),
        noise_rate=noise / (relevant + noise) if relevant + noise else None,
        share=(relevant + noise + open_) / files if files else None,
    )
