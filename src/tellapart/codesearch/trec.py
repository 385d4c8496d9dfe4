"""An evaluation as TREC files: graded judgements, and the system's ranking.

Conversations are queries and files are documents. Both are single fields, which `core.trec_measures` encodes.
"""

from __future__ import annotations

from pathlib import Path

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.conversation import grades
from tellapart.core.trec_measures import encoded
from tellapart.errors import InputError
from tellapart.files import replacing

QRELS, RUN = "qrels.txt", "run.txt"


def qrels(evaluation: Evaluation) -> list[str]:
    """Lines ``query 0 document grade``, graded by `metrics.conversation.grades`; no verdict is not judged."""
    return [
        f"{encoded(case.id)} 0 {encoded(file)} {grade}"
        for case in evaluation.cases
        for file, grade in grades(case).items()
    ]


def ranking(evaluation: Evaluation, system: str) -> list[str]:
    """Lines ``query Q0 document rank score tag`` in the system's order; ranks from 1, scores falling to 1."""
    return [
        f"{encoded(case.id)} Q0 {encoded(file)} {rank} {len(case.files) + 1 - rank} {encoded(system)}"
        for case in evaluation.cases
        for rank, file in enumerate(case.files, 1)
    ]


def write_trec(evaluation: Evaluation, out: Path, *, system: str) -> tuple[Path, Path]:
    """Write ``qrels.txt`` and ``run.txt``, which ``tellapart audit RUN --qrels QRELS`` and trec_eval read."""
    where = f"iteration {evaluation.iteration}"
    judged, ranked = qrels(evaluation), ranking(evaluation, system)
    if not judged:
        raise InputError(
            "no exploration found a file and no verdict was given, so that there are no judgements to write",
            where=where,
        )
    if not ranked:
        raise InputError(f"{system!r} found no file", where=where)
    with replacing(out / QRELS) as first, replacing(out / RUN) as second:
        for path, lines in ((first, judged), (second, ranked)):
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return out / QRELS, out / RUN
