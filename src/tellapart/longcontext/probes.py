"""The kinds of probes: an entry of ``KINDS`` each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import facts_of

Rule = Literal["facts", "sink", "recency", "enumeration"]
"""How a probe is graded: by the facts of its expected answer, by a banned word, by which of the entries it
names (recent or early), or by how many entries of a list it gets right."""

BANNED = "excellent"
"""The word that the documented experiment forbids, for a probe whose author names none."""


@dataclass(frozen=True)
class ProbeKind:
    """Everything that follows from how a probe is graded; ``grading.rules`` has the grader of each rule.

    Attributes:
        rule: Its name, in case files and in records.
        mode: A failure mode that contains this, in lower case, means this kind; None where none does.
        documented_ids: Steps of the documented experiment that are of this kind.
        evidence: What must have been shown before the question: the facts of the ``answer``, each of the
            ``entries``, the early or the late data (``sides``), or a rule of the ``system`` prompt.
        one_answer: Whether there is one right answer that comes from the messages. Only then can it be
            guessed or given away, is a repeated question the same item, and does the probe count in curves
            and effective lengths.
        prompt: What a judge is asked, one of ``grading.judge_questions.PROMPTS``.
        is_given: Whether what is known of the answer means this kind, with the failure mode in lower case.
        can_grade: Whether what is known of the answer is enough to grade it; None: nothing is known.
        needs_judge: Whether the judge grades it, where there is one; else rules do, whoever the grader is.
    """

    rule: Rule
    mode: str | None
    documented_ids: tuple[str, ...] = ()
    evidence: Literal["answer", "entries", "sides", "system"] = "answer"
    one_answer: bool = True
    prompt: str = "judge"
    is_given: Callable[[Expected, str], bool] = lambda _, __: False
    can_grade: Callable[[Expected | None], bool] = lambda expected: bool(_answer(expected))
    needs_judge: Callable[[Expected], bool] = lambda _: True


def _answer(expected: Expected | None) -> str:
    return ((expected.answer if expected else None) or "").strip()


def _is_list(expected: Expected) -> bool:
    # "See the list below." is no answer that could be right or wrong.
    return bool(expected.entries) and not facts_of(_answer(expected))


KINDS: Mapping[str, ProbeKind] = {
    kind.rule: kind
    for kind in (
        ProbeKind("facts", None),
        ProbeKind(
            "sink",
            "attention sink",
            ("V1-4", "V2-7", "V3-6"),
            evidence="system",
            one_answer=False,
            is_given=lambda expected, _: bool(expected.banned),
            can_grade=lambda _: True,
            needs_judge=lambda _: False,
        ),
        ProbeKind(
            "recency",
            "recency",
            ("V2-5", "C3-6"),
            evidence="sides",
            one_answer=False,
            prompt="recency",
            is_given=lambda expected, mode: (
                bool(expected.early or expected.late)
                and not _is_list(expected)
                and not (_answer(expected) and mode)
            ),
            # The question is which entries are cited, so no answer is needed.
            can_grade=lambda expected: expected is not None,
        ),
        ProbeKind(
            "enumeration",
            "enumeration",
            ("V3-3",),
            evidence="entries",
            is_given=lambda expected, _: _is_list(expected),
            can_grade=lambda expected: bool(_answer(expected) or (expected and expected.entries)),
            needs_judge=lambda expected: not expected.entries,
        ),
    )
}
"""The kinds of probes; where a failure mode or an answer fits several, the first counts."""


def kind_of(step_id: str, failure_mode: str | None, expected: Expected | None = None) -> ProbeKind:
    """The kind of a probe, and with it how it is graded.

    What its author says decides; then its failure mode, where that names a kind; then what is given: a word
    that is banned, entries without a plain answer, early or late data without one. The documented ids count
    only where there is no failure mode, no answer and no evidence: somebody else's V1-4 may ask for anything.
    """
    if expected is not None and expected.rule is not None:
        return KINDS[expected.rule]
    mode = (failure_mode or (expected.failure_mode if expected else None) or "").lower()
    named = next((kind for kind in KINDS.values() if kind.mode and kind.mode in mode), None)
    if named is not None:
        return named
    if expected is not None:
        given = next((kind for kind in KINDS.values() if kind.is_given(expected, mode)), None)
        if given is not None:
            return given
    described = bool(mode) or bool(_answer(expected)) or bool(expected and expected.evidence)
    id_ = step_id.partition(" (")[0]
    documented = () if described else (kind for kind in KINDS.values() if id_ in kind.documented_ids)
    return next(iter(documented), KINDS["facts"])


def banned_of(expected: Expected | None) -> str:
    """The word that a probe for a banned word looks for: its author's, else the documented one."""
    return (expected.banned if expected is not None else None) or BANNED
