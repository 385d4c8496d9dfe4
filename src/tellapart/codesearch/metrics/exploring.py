"""How the explorations went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from tellapart.codesearch.case import Case, Explored
from tellapart.codesearch.metrics.aggregate import Figures

ROLES = ("run_a", "run_b")
"""The two explorations of a conversation, as attributes of a case."""


def exploring(cases: Sequence[Case]) -> Figures:
    """Count what became of the explorations, by run.

    Args:
        cases: In any order, which changes nothing.

    Returns:
        Of each run ``explorer``, its name, several of them joined; ``done``, those that came to an end;
        ``failed`` by cause; ``failed_conversations``; ``suspect``, the conversations in which it found
        nothing without an error; and of those done, the suspect ones included, ``files_found``: ``total``
        and ``median``, None where none is done. Ids are in ascending order.
    """
    return {role: _of_run([(case.conversation.id, getattr(case, role)) for case in cases]) for role in ROLES}


def _of_run(runs: Sequence[tuple[str, Explored]]) -> Figures:
    done = [run for _, run in runs if run.failure is None]
    sizes = [len(run.files) for run in done]
    return {
        "explorer": " and ".join(sorted({run.explorer for _, run in runs})),
        "done": len(done),
        "failed": dict(sorted(Counter(run.failure.cause for _, run in runs if run.failure).items())),
        "failed_conversations": sorted(id_ for id_, run in runs if run.failure),
        "suspect": sorted(id_ for id_, run in runs if run.suspect),
        "files_found": {"total": sum(sizes), "median": median(sizes) if sizes else None},
    }
