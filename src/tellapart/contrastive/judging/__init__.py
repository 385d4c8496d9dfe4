"""Judges: language models that score summaries beside their code, and say which of two is better.

Who wrote a summary is never shown, and the verdicts of a judge on writers of its own family do not count. A
run of judges is a run of ``contrastive`` whose configuration says ``evidence: judge``. It holds

- ``judgements.parquet``: every verdict, those that do not count as well; see ``judgements.JUDGEMENTS``. The
  column ``counted`` is ``yes``, or ``no: same family``.
- ``scores.parquet``: what counts, and nothing else, so that ``audit`` and ``compare`` read it as any other
  scores. ``model`` is the writer, ``item`` the unit and the judge, so that writers are compared within the
  same judge; ``score`` is in [0, 1]: the weighted score of the five criteria as ``(score - 1) / 4``, or the
  share of points against all opponents. ``missing`` is why there is none: the cause of the judge's failure,
  or of the writer's where it has no summary of the unit. ``cluster`` is the unit's path. Columns of text:
  ``target`` (the unit's id), ``judge``, ``method`` (``pointwise`` or ``pairwise``).
- ``items.parquet``: the texts of the pointwise items, for pages.
- ``artifacts/judging.json``: a ``results.JudgeReport``.

`judge_evidence` gives one score for each writer and unit, for whoever joins judges with other evidence.
"""

from tellapart.contrastive.judging.evidence import judge_evidence

__all__ = ["judge_evidence"]
