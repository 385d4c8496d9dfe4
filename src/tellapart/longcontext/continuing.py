"""One conversation out of two cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tellapart.errors import InputError
from tellapart.longcontext.case import Case

_NAMED = 4
"""Cases whose names are given."""


def continuing(case: Case, earlier: Case) -> Case:
    """Put the messages and checkpoints of an earlier case in front; its verifications are left out.

    The system prompt is the case's own, and only where it has none the earlier one's, so that what the
    earlier case forbade is still forbidden. Lines of steps are those in their own files.

    Raises:
        InputError: A step of both has the same id.
    """
    before = tuple(step for step in earlier.steps if step.type != "verification")
    clash = next((step for step in before if step.id in case.by_id), None)
    if clash is not None:
        raise InputError(
            f"the step {clash.id} is also in {earlier.source or earlier.name}:{clash.line}, which this case "
            "continues",
            where=f"{case.source or case.name}:{case.by_id[clash.id].line}",
            next_step="Give one of them another id: numbers go on in the second file",
        )
    system = earlier.system if case.system is None else case.system
    return replace(case, system=system, steps=before + case.steps)


def named(cases: Sequence[Case]) -> str:
    """``3 cases (a, b, c)``; of more than four the first four."""
    names = [case.name for case in cases]
    more = ", …" if len(names) > _NAMED else ""
    return f"{len(names)} cases ({', '.join(names[:_NAMED])}{more})" if names else "0 cases"
