"""A comparison of systems in sentences: what was compared, and whether other rulers agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_NAMES = {
    "pooled": "what all evaluations know together",
    "tier both_runs": "files of both runs",
    "tier one_run": "files of one run",
    "tier judge_only": "files that the judge alone vouches for",
}


def sentences(found: Mapping[str, Any]) -> list[str]:
    """Say what was compared, and where another ruler turns the order round.

    Args:
        found: The record of `compare.compare`.

    Returns:
        Sentences without full stops at the end.
    """
    n = found["conversations"]
    *most, last = found["systems"]
    said = [f"{', '.join(most)} and {last} on {n} conversation{'s' * (n != 1)}, by {found['measure']}"]
    left = {name: count for name, count in found["only_in"].items() if count}
    if left:
        shown = ", ".join(f"{count} of {name}" for name, count in left.items())
        said.append(f"Conversations that not all evaluations have are left out: {shown}")
    for order in found["orders"]:
        said += _of_pair(order)
    return said


def _of_pair(order: Mapping[str, Any]) -> Iterator[str]:
    if order["ahead"] is None:
        return
    pair = f"{order['a']} and {order['b']}"
    for state, words in (
        ("reversed", f"The order of {pair} is reversed on"),
        ("open", f"Files without a verdict leave the order of {pair} open on"),
    ):
        where = [_NAMES[name] for name, its in order["views"].items() if its == state]
        if where:
            yield f"{words} {', '.join(where)}"
    if order["holds"]:
        yield f"The order of {pair} holds on every tier, and on {_NAMES['pooled']}"
