"""From the judge's replies to one verdict a file, and how often the judge changed its mind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tellapart.codesearch.case import Actionable, Case, Verdict
from tellapart.codesearch.failed import Failed
from tellapart.codesearch.judging.questions import Batch, Judgements, place_of
from tellapart.core.stats import clustered_rate, mean_once
from tellapart.llm.questions import Answer
from tellapart.llm.quoting import visible

Askings = Mapping[tuple[str, str], Sequence[Verdict]]
"""By conversation and file what each asking said, in their order."""

Verdicts = Mapping[str, Mapping[str, Verdict]]
"""By conversation and file."""


def asking_verdicts(batch: Batch, answer: Answer[Judgements]) -> dict[str, Verdict]:
    """What one asking says of each file of its batch; all of them fail together."""
    if answer.value is None:
        assert answer.failure is not None
        failed = Verdict(None, failure=Failed.of(answer.failure))
        return dict.fromkeys(batch.files, failed)
    return {
        batch.files[place_of(judged.file)]: Verdict(
            judged.relevant, judged.actionable, visible(" ".join(judged.reasoning.split()))
        )
        for judged in answer.value.judgements
    }


def is_asked_singly(batch: Batch, answer: Answer[Judgements]) -> bool:
    """Whether each file of a batch is asked about alone, because together they got no usable reply.

    So it is where the provider did reply, or turned down just this question. A call that never came through
    says nothing about the files; it is made again when the run is resumed.
    """
    if answer.failure is None or len(batch.files) == 1:
        return False
    return answer.failure.cause in ("parse", "refusal", "truncated") or answer.failure.kind == "bad_request"


def majority(askings: Sequence[Verdict]) -> Verdict:
    """The verdict of most askings that have one.

    Args:
        askings: At least one.

    Returns:
        A tie is not relevant. ``actionable`` and ``reasoning`` are those of the asking on the winning side
        that came first among those with its most frequent ``actionable``; where no asking has a verdict, the
        first one's failure.
    """
    said = [verdict for verdict in askings if verdict.relevant is not None]
    if not said:
        return askings[0]
    relevant = 2 * sum(verdict.relevant is True for verdict in said) > len(said)
    agreeing = [verdict for verdict in said if verdict.relevant is relevant]
    counts: Counter[Actionable] = Counter(verdict.actionable for verdict in agreeing)
    return max(agreeing, key=lambda verdict: counts[verdict.actionable])


def by_conversation(askings: Askings) -> dict[str, dict[str, Verdict]]:
    """One verdict a file, by conversation; files sorted."""
    found: defaultdict[str, dict[str, Verdict]] = defaultdict(dict)
    for conversation, file in sorted(askings):
        found[conversation][file] = majority(askings[conversation, file])
    return dict(found)


def repeat_figures(askings: Askings) -> dict[str, Any]:
    """How far the judge agrees with itself.

    Args:
        askings: Of all files that were asked about.

    Returns:
        ``askings`` and those of them ``askings_failed``; ``ties``, files with as many askings for as against
        them, which count as not relevant. Over the ``files_repeated`` with two verdicts or more:
        ``flip_rate``, the share in which any two of them differ in ``relevant``, with Wilson's interval
        ``flip_ci``, clustered on the conversation; it grows with the number of askings. ``disagreement`` does
        not: the mean over files of the share of pairs of verdicts that differ. The last three are None
        without such files.
    """
    votes = {
        key: [verdict.relevant for verdict in own if verdict.relevant is not None]
        for key, own in sorted(askings.items())
    }
    repeated = {key: own for key, own in votes.items() if len(own) > 1}
    differ = [_share_of_pairs(own) for own in repeated.values()]
    rate = clustered_rate([float(share > 0) for share in differ], [key[0] for key in repeated])
    return {
        "askings": sum(map(len, askings.values())),
        "askings_failed": sum(map(len, askings.values())) - sum(map(len, votes.values())),
        "ties": sum(bool(own) and 2 * sum(own) == len(own) for own in votes.values()),
        "files_repeated": len(repeated),
        "flip_rate": rate.rate,
        "flip_ci": [rate.interval.low, rate.interval.high] if rate.interval else None,
        "disagreement": mean_once(differ),
    }


def taken_over(cases: Iterable[Case], earlier: Iterable[Case]) -> dict[str, dict[str, Verdict]]:
    """Verdicts of an earlier evaluation that hold for this one too.

    Args:
        cases: What is to be judged.
        earlier: Cases of the earlier evaluation, as they were read from its file.

    Returns:
        By conversation and file: verdicts of the same conversation, with the same issue to the letter, on
        files that only we found now. Failed ones are left out. That the file has not changed cannot be seen.
    """
    known = {
        (case.conversation.id, case.conversation.issue_summary): {
            file: verdict for file, verdict in case.verdicts.items() if verdict.relevant is not None
        }
        for case in earlier
    }
    found = {}
    for case in cases:
        own = known.get((case.conversation.id, case.conversation.issue_summary), {})
        found[case.conversation.id] = {file: own[file] for file in sorted(case.our_unique & own.keys())}
    return found


def _share_of_pairs(votes: Sequence[bool]) -> float:
    yes, pairs = sum(votes), len(votes) * (len(votes) - 1) / 2
    return yes * (len(votes) - yes) / pairs
