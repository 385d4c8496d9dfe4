"""What judges' verdicts come to, as records: ``artifacts/judging.json``, the page and the JSON."""

from __future__ import annotations

from tellapart.core.comparison import Verdict
from tellapart.core.estimate import Estimate
from tellapart.core.record import Record

Ends = tuple[float, float]
"""The low and the high end of an interval."""


class JudgeUse(Record):
    """One judge: what it was asked, and what came of it.

    Attributes:
        families: That it belongs to; empty where none is known.
        verdicts: That it gave, by method.
        not_counted: Verdicts among these on its own family.
        failures: Showings without a verdict, by cause.
        repaired: Verdicts that took a second attempt.
    """

    judge: str
    families: tuple[str, ...]
    verdicts: dict[str, int]
    not_counted: int
    failures: dict[str, int]
    repaired: int


class WriterScores(Record):
    """One writer, by what counts: judges of its own family are left out.

    Attributes:
        families: That it belongs to; empty where none is known.
        score: Mean weighted score over units, from 1 to 5; None where nobody scored, as all others.
        criteria: The same by criterion.
        win_share: Mean share of points against the other writers, each opponent weighing the same; in [0, 1].
        strength: Bradley and Terry's, as a natural logarithm, with mean 0 over the writers.
        no_summary: Units of which the writer has no summary, by cause.
    """

    writer: str
    families: tuple[str, ...]
    judges: tuple[str, ...]
    score: Estimate | None
    criteria: dict[str, Estimate]
    win_share: Estimate | None
    strength: Estimate | None
    no_summary: dict[str, int]


class Meeting(Record):
    """Two writers' summaries of the same units, beside one another in both orders.

    Attributes:
        b: Another one, later in ascending order of names.
        pairs: Units, once for each judge that counts and gave a verdict in both orders.
        wins: Verdicts for a; there are two a pair.
        ties: Verdicts for neither.
        losses: Verdicts for b.
        share: What a gets of the points; a tie is half a point. None without a pair.
    """

    a: str
    b: str
    pairs: int
    wins: int
    ties: int
    losses: int
    share: Estimate


class PositionBias(Record):
    """Whether a judge prefers the summary that stands first, whatever it says.

    Attributes:
        pairs: Units and pairs with a verdict in both orders, those that do not count included.
        first_share: Points of the summary that stood first; 0.5 without a bias.
        interval: Of it, at the level at which Holm's method tested this judge.
        p_adjusted: Over the judges.
        verdict: ``a>b`` for the first place, ``b>a`` for the second.
        same_in_both: Share of pairs whose verdict is the same in both orders.
        reason: Why there is no test or no interval; or empty.
    """

    judge: str
    pairs: int
    first_share: float | None
    interval: Ends | None
    p: float | None
    p_adjusted: float | None
    verdict: Verdict
    same_in_both: Estimate
    reason: str


class FamilyBias(Record):
    """Whether a judge gives its own family more than other judges give the same summaries.

    Attributes:
        method: ``pointwise`` or ``pairwise``.
        own: Mean of what it gives its own family, less what other judges give the same summaries: in points
            of the scale from 1 to 5, or pairwise in shares of points against other writers. None where no
            other judge counts for them.
        others: Pointwise the same for the other writers, so that a lenient judge is not taken for a biased
            one; None pairwise, where leniency has no part.
        preference: ``own`` less ``others``; pairwise ``own``.
        interval: Of it, at the level at which Holm's method tested it.
        p_adjusted: Over all judges and methods.
        verdict: ``a>b`` where it prefers its own family, ``b>a`` where it is harder on it.
        reason: Why there is no figure or no interval; or empty.
    """

    judge: str
    method: str
    writers: tuple[str, ...]
    units: int
    own: float | None
    others: float | None
    preference: float | None
    interval: Ends | None
    p: float | None
    p_adjusted: float | None
    verdict: Verdict
    reason: str


class JudgeReport(Record):
    """``artifacts/judging.json``: all that verdicts come to but for the comparison of the writers.

    Attributes:
        methods: That were asked for.
        judges: In the order in which they were asked.
        writers: In descending order of score, else of strength or win share.
        meetings: Of every two writers; empty pointwise.
        position: By judge; empty pointwise.
        family: By judge with writers of its family, and method.
        severity: By judge, how much more than the others it gives the same summaries, in points of the scale
            from 1 to 5; taken off the means of the writers. Empty pairwise.
        cautions: What decides how much a verdict on the writers is worth, a sentence each.
    """

    fingerprint: str
    methods: tuple[str, ...]
    units: int
    targets: int
    weights: dict[str, float]
    judges: tuple[JudgeUse, ...]
    writers: tuple[WriterScores, ...]
    meetings: tuple[Meeting, ...]
    position: tuple[PositionBias, ...]
    family: tuple[FamilyBias, ...]
    severity: dict[str, float]
    cautions: tuple[str, ...]
