"""Which evidence about the writers of summaries a run of this suite holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.errors import InputError

if TYPE_CHECKING:
    from tellapart.store import RunDirectory

RETRIEVAL, CONTRASTIVE, JUDGE = "retrieval", "contrastive", "judge"

SOURCES = (RETRIEVAL, CONTRASTIVE, JUDGE)
"""All kinds, the one that weighs most in a ranking first."""

COMMANDS = {
    CONTRASTIVE: "tellapart contrastive run BENCH --model NAME --out RUN",
    RETRIEVAL: "tellapart contrastive retrieve BENCH --model NAME --out RUN",
    JUDGE: "tellapart contrastive judge BENCH --judge PROVIDER/MODEL --out RUN",
}
"""Which command makes a run of each kind of evidence."""


def kind_of(run: RunDirectory) -> str:
    """Name the evidence that a run is: what its record says, else ``contrastive``."""
    run.check_suite("contrastive")
    kind = str(run.record.config.get("evidence", CONTRASTIVE))
    if kind not in SOURCES:
        raise InputError(
            f"this run is evidence of the kind {kind!r}, expected one of {', '.join(SOURCES)}", where=run.path
        )
    return kind
