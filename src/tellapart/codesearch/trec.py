"""An evaluation as TREC files: graded judgements, and the system's ranking.

Conversations are queries and files are documents. Both are single fields, in which white space, ``%`` and a
few beginnings that readers take for something else are written as ``%20``; `core.trec_measures` says which,
and takes it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.conversation import grades
from tellapart.codesearch.model import Case
from tellapart.core.trec_measures import encoded
from tellapart.errors import InputError
from tellapart.files import replacing

QRELS, RUN = "qrels.txt", "run.txt"


@dataclass(frozen=True)
class TrecFiles:
    """Lines of the two files, without their ends, as trec_eval reads them."""

    qrels: tuple[str, ...]
    run: tuple[str, ...]


def trec_files(evaluation: Evaluation, *, system: str) -> TrecFiles:
    """Put an evaluation as TREC files, graded by `metrics.conversation.grades`; no verdict is not judged."""
    return TrecFiles(
        tuple(line for case in evaluation.cases for line in _qrels(case)),
        tuple(line for case in evaluation.cases for line in _run(case, encoded(system))),
    )


def write_trec(evaluation: Evaluation, out: Path, *, system: str) -> tuple[Path, Path]:
    """Write ``qrels.txt`` and ``run.txt``, which ``tellapart audit RUN --qrels QRELS`` and trec_eval read."""
    files = trec_files(evaluation, system=system)
    if not files.qrels:
        raise InputError(
            "no exploration found a file and no verdict was given, so that there are no judgements to write",
            where=f"iteration {evaluation.iteration}",
        )
    if not files.run:
        raise InputError(f"{system!r} found no file", where=f"iteration {evaluation.iteration}")
    with replacing(out / QRELS) as qrels, replacing(out / RUN) as run:
        for path, lines in ((qrels, files.qrels), (run, files.run)):
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return out / QRELS, out / RUN


def _qrels(case: Case) -> Iterator[str]:
    query = encoded(case.id)
    for file, grade in grades(case).items():
        yield f"{query} 0 {encoded(file)} {grade}"


def _run(case: Case, tag: str) -> Iterator[str]:
    query, files = encoded(case.id), case.files
    for position, file in enumerate(files):
        yield f"{query} Q0 {encoded(file)} {position + 1} {len(files) - position} {tag}"
