"""Proposals tested on conversations that did not suggest them.

Whoever looks through hundreds of terms and directories finds some that were noise by chance, and counting
once more on the same conversations confirms every one of them. So half of the conversations suggest, and the
other half, held back, tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil

from tellapart.codesearch.learning.labels import Basis, LabelledCase
from tellapart.codesearch.learning.places import What, matches, ours_there, recall_rows
from tellapart.codesearch.learning.proposals import NAMES, Without, without_files
from tellapart.codesearch.learning.terms import files_alone, noise_row
from tellapart.codesearch.metrics.conversation import MEASURES, Share
from tellapart.codesearch.results.learnings import HeldBackRecord, ProposalRecord
from tellapart.core.comparison import Contrast, PairComparison, Verdict, paired_effects
from tellapart.core.fingerprint import sha256

Both = tuple[float | None, float | None]
"""A share of one conversation where the proposal should make it larger, and what that is held against."""


def divide(cases: Sequence[LabelledCase]) -> tuple[tuple[LabelledCase, ...], tuple[LabelledCase, ...]]:
    """Divide conversations into those that suggest and those that are held back.

    They take turns in the order of the hashes of their ids. No seed has a part in it, so that nobody can
    divide again until a proposal holds.
    """
    drawn = sorted(cases, key=lambda case: (sha256(case.id.encode()), case.id))
    suggesting, held = (sorted(half, key=lambda case: case.id) for half in (drawn[::2], drawn[1::2]))
    return tuple(suggesting), tuple(held)


def hold_back(
    proposals: Sequence[ProposalRecord], held: Sequence[LabelledCase], total: int, basis: Basis, seed: int
) -> dict[str, HeldBackRecord]:
    """Test proposals on conversations that did not suggest them, all of them as one family.

    What is tested: of dropping a term or leaving out a place, precision with the change against without; of
    ranking a term lower, the share of noise among files with the term against those without; of searching a
    place, recall elsewhere against recall there. A positive difference speaks for the proposal.
    """
    both = [_both(proposal, held, basis) for proposal in proposals]
    pairs = paired_effects(
        [
            Contrast(proposal.id, [_or_nan(a) for a, _ in values], [_or_nan(b) for _, b in values])
            for proposal, values in zip(proposals, both, strict=True)
        ],
        seed=seed,
    )
    return {
        proposal.id: _record(proposal, pair, len(held), total, basis)
        for proposal, pair in zip(proposals, pairs, strict=True)
    }


def _both(proposal: ProposalRecord, held: Sequence[LabelledCase], basis: Basis) -> list[Both]:
    place: What = "directory" if proposal.kind.endswith("directory") else "kind"
    if proposal.kind == "drop_term":
        return _precision(held, basis, partial(files_alone, term=proposal.subject))
    if proposal.kind.startswith("leave_out"):
        there = matches(proposal.subject, place)
        return _precision(held, basis, partial(ours_there, there=there))
    if proposal.kind == "rank_term_lower":
        rows = [
            noise_row(case, proposal.subject)
            if proposal.subject in case.terms and case.labels.noise_seen
            else (Share(0, 0), Share(0, 0))
            for case in held
        ]
        return [(here.value, elsewhere.value) for here, elsewhere in rows]
    rows = recall_rows(held, matches(proposal.subject, place))
    return [(elsewhere.value, here.value) for here, elsewhere in rows]


def _precision(held: Sequence[LabelledCase], basis: Basis, without: Without) -> list[Both]:
    measure = MEASURES[NAMES[basis][0]]
    return [
        (measure(without_files(labelled.case, without(labelled))).value, measure(labelled.case).value)
        for labelled in held
    ]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _record(
    proposal: ProposalRecord, pair: PairComparison, held: int, total: int, basis: Basis
) -> HeldBackRecord:
    needed = pair.items_needed if (pair.difference or 0) > 0 else None
    return HeldBackRecord(
        of=_of(proposal.kind, basis),
        conversations=pair.n,
        difference=pair.difference,
        interval=pair.interval,
        p=pair.p,
        p_adjusted=pair.p_adjusted,
        confirmed=pair.verdict is Verdict.A_BETTER,
        # A part of the conversations has both shares, and half of all is held back.
        conversations_needed=ceil(needed / pair.n * total) if needed and pair.n else None,
        reason=pair.reason or None,
    )


def _of(kind: str, basis: Basis) -> str:
    if kind == "rank_term_lower":
        return "noise among files with the term, beyond files without it"
    if kind.startswith("search"):
        return "recall elsewhere, beyond recall there"
    return f"{NAMES[basis][0]} with the change, beyond without"


def held_back_words(proposal: ProposalRecord) -> str:
    """What the conversations say that did not suggest a proposal."""
    tested = proposal.held_back
    if tested is None:
        return (
            "one half of the conversations suggests changes and the other tests them, and the first half "
            "alone does not suggest this, so it was not tested"
        )
    if tested.difference is None:
        return "no held-back conversation has files to test it on"
    low, high = tested.interval or (None, None)
    interval = tested.reason or "too few for an interval"
    if low is not None and high is not None:
        interval = f"interval {low:+.2f} to {high:+.2f}"
    words = (
        f"{tested.of}: {tested.difference:+.2f} ({interval}) in {tested.conversations:,} held-back "
        "conversations"
    )
    if tested.confirmed:
        return words
    if tested.difference <= 0:
        return f"{words}, against it"
    needed = tested.conversations_needed
    settled = f"; about {needed:,} conversations in all would settle it" if needed else ""
    return f"{words}, which may be chance{settled}"
