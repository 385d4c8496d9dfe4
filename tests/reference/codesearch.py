"""Measures of a conversation file by file, and every way in which missing verdicts could have come out."""

from fractions import Fraction
from itertools import product


def measures_of(ours, union, relevant_only_ours):
    """By the textbook: true positives, false positives, false negatives, counted one file at a time."""
    right = wrong = missed = shared = 0
    for file in sorted(ours | union):
        is_relevant = file in union or file in relevant_only_ours
        right += file in ours and is_relevant
        wrong += file in ours and not is_relevant
        missed += file not in ours and is_relevant
        shared += file in ours and file in union
    return {
        "precision": _share(right, right + wrong),
        "recall": _share(right, right + missed),
        "f1": _share(2 * right, 2 * right + wrong + missed),
        "precision_union": _share(shared, len(ours)),
        "recall_union": _share(shared, len(union)),
    }


def every_outcome(case):
    """The measures under each assignment of verdicts to the files that have none."""
    union = set(case.run_a.files) | set(case.run_b.files)
    only_ours = set(case.files) - union
    known = {f: case.verdicts[f].relevant for f in only_ours if f in case.verdicts}
    sure = {f for f, relevant in known.items() if relevant is True}
    unknown = sorted(f for f in only_ours if known.get(f) is None)
    for outcome in product([False, True], repeat=len(unknown)):
        chosen = {file for file, relevant in zip(unknown, outcome, strict=True) if relevant}
        yield measures_of(set(case.files), union, sure | chosen)


def _share(part, whole):
    return Fraction(part, whole) if whole else None
