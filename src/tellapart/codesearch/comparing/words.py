"""A comparison of systems in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_NAMES = {
    "tier both_runs": "files of both runs",
    "tier one_run": "files of one run",
    "tier judge_only": "files that the judge alone vouches for",
    "own ground truth": "each evaluation's own ground truth",
}


def sentences(found: Mapping[str, Any]) -> list[str]:
    """Say what a comparison says.

    Args:
        found: What `comparison.compare` gives.

    Returns:
        What was compared, and what to conclude of each pair, without full stops at the end.
    """
    n = found["conversations"]
    *most, last = found["systems"]
    said = [f"{', '.join(most)} and {last} on {n} conversation{'s' * (n != 1)}, by {found['measure']}"]
    left = {name: count for name, count in found["only_in"].items() if count}
    if left:
        shown = ", ".join(f"{count} of {name}" for name, count in left.items())
        said.append(f"Conversations that not all evaluations have are left out: {shown}")
    if found["same_explorers"] and found["ground_truth_differs"]:
        said.append(
            f"The explorers are the same, but found other files in {found['ground_truth_differs']} of {n}: "
            "replay one evaluation's explorations for the other to compare on the same ground truth"
        )
    pairs = found["pooled"][found["measure"]]["pairs"]
    for verdict, pair in zip(found["verdicts"], pairs, strict=True):
        said += _of_pair(verdict, pair)
    return said


def _of_pair(verdict: Mapping[str, Any], pair: Mapping[str, Any]) -> Iterator[str]:
    a, b, gap = pair["a"], pair["b"], pair["difference"]
    if gap is None:
        yield f"{a} and {b}: there is no conversation on which both have a value"
        return
    size = f"{a} - {b} = {gap:+.3f}"
    if pair["low"] is not None:
        size += f", 95 % {pair['low']:+.3f} to {pair['high']:+.3f}"
    if verdict["withheld"]:
        yield f"No verdict on {a} and {b} ({size}): {verdict['withheld']}"
        return
    if verdict["leader"] is None:
        yield f"{a} and {b} tie"
        return
    other = b if verdict["leader"] == a else a
    chance = "" if verdict["beyond_chance"] else ", which may be chance"
    p = "" if pair["p_holm"] is None else f", p = {pair['p_holm']:.3f}"
    yield f"{verdict['leader']} is better than {other}{chance} ({size}{p})"
    for state, words in (
        ("reversed", "The order is reversed on"),
        ("withheld", "Files without a verdict, or other explorers, leave it open on"),
    ):
        where = [_NAMES.get(name, name) for name, its in verdict["views"].items() if its == state]
        if where:
            yield f"{words} {', '.join(where)}"
    if verdict["holds"]:
        yield "No tier of confidence, no area and no evaluation's own ground truth reverses the order"
