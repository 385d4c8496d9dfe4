"""An evaluation handed to others: files to label, and people's verdicts; graded judgements and a TREC run.

In TREC files conversations are queries and files are documents, which `core.trec_measures` encodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from tellapart.codesearch.evaluation import NOTES, SYSTEM, Evaluation
from tellapart.codesearch.metrics.measures import grades, not_shown
from tellapart.codesearch.model import Case, JudgeVerdict
from tellapart.codesearch.settings import UNNAMED
from tellapart.core.scores import ScoreTable
from tellapart.core.seed import SEED
from tellapart.core.trec_measures import encoded
from tellapart.errors import InputError
from tellapart.files import replacing
from tellapart.labelling.sheet import ANSWER_OF, lay_out
from tellapart.readers.labels import joined_labels
from tellapart.store import ItemText

QRELS, RUN = "qrels.txt", "run.txt"


def label_sheet(evaluation: Evaluation, *, seed: int = SEED) -> pl.DataFrame:
    """List every file that was put to the judge, or would be, as answers to label in random order."""
    answer = f"{ANSWER_OF}{_system(evaluation)}"
    texts = {
        _item(case, file): (ItemText("Question", case.issue_summary), ItemText(answer, file))
        for case, file in _to_label(evaluation)
    }
    if not texts:
        raise InputError(
            "the system found no file that the explorations did not find, so there is nothing to label"
        )
    return lay_out(_verdict_table(evaluation), texts, dict.fromkeys(texts, 1.0), seed=seed)


def with_labels(evaluation: Evaluation, sheet: Path) -> Evaluation:
    """Put people's verdicts in the place of the judge's, and note how often the two agree."""
    labelled = joined_labels(_verdict_table(evaluation), sheet).frame.drop_nulls("human")
    odd = labelled.filter(~pl.col("human").is_in([0.0, 1.0]))
    if odd.height:
        raise InputError(f"'human' is {odd['human'][0]:g}, expected 1 (relevant) or 0", where=sheet)
    labels = {item: label == 1 for item, label in labelled.select("item", "human").iter_rows()}

    cases = []
    for case in evaluation.cases:
        known = case.every_verdict
        by_people = {
            file: replace(
                known.get(file, JudgeVerdict(None)), relevant=label, reasoning="by a person", failure=None
            )
            for file in case.to_judge.union(known)
            if (label := labels.get(_item(case, file))) is not None
        }
        cases.append(case.judged({**known, **by_people}))
    both = labelled.drop_nulls("score")
    same = both.filter(pl.col("score") == pl.col("human")).height
    judge = "the judge has none on these files"
    if both.height:
        judge = f"the judge said the same of {same} of {both.height}"
    notes = [*evaluation.facts.get(NOTES, ()), f"{len(labels)} verdicts are a person's; {judge}"]
    return replace(evaluation, cases=tuple(cases), facts={**evaluation.facts, NOTES: notes})


def _verdict_table(evaluation: Evaluation) -> ScoreTable:
    """The files to label as answers of the system, scored by the judge."""
    rows = []
    for case, file in _to_label(evaluation):
        verdict = case.every_verdict.get(file)
        relevant = None if verdict is None or verdict.relevant is None else float(verdict.relevant)
        rows.append((_system(evaluation), _item(case, file), relevant, "judge" if relevant is None else None))
    schema = {"model": pl.String, "item": pl.String, "score": pl.Float64, "missing": pl.String}
    return ScoreTable.from_frame(pl.DataFrame(rows, schema, orient="row"))


def _to_label(evaluation: Evaluation) -> Iterator[tuple[Case, str]]:
    """The files that need a verdict, or have one, but for those that nobody may be shown."""
    for case in evaluation.cases:
        verdicts = case.every_verdict
        for file in sorted(case.to_judge.union(verdicts)):
            if not not_shown(verdicts.get(file)):
                yield case, file


def _system(evaluation: Evaluation) -> str:
    return str(evaluation.facts.get(SYSTEM) or UNNAMED)


def _item(case: Case, file: str) -> str:
    return f"{case.id}/{file}"


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
