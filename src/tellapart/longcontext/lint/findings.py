"""How findings are worded, put together and counted for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.core.severity import SEVERITIES, Severity
from tellapart.longcontext.results import Finding
from tellapart.report import numbers as show

_MOST, _TEXTS = 8, 3
"""Cases and steps, and texts in messages, that are named where findings are shown as one; of more the first
ones, and how many."""

Figure = int | float | str


def finding(
    severity: Severity, check: str, case: str | None, step: str | None, pattern: str, **figures: Figure
) -> Finding:
    """Give a finding whose message has figures."""
    message = pattern.format(**{name: _shown([value]) for name, value in figures.items()})
    return Finding(severity, check, case, step, message, pattern, figures)


@dataclass(frozen=True)
class Group:
    """Findings that say the same, but for their figures.

    Attributes:
        places: Cases, each with the ids of its steps, in order; without ids it is of the case as a whole.
            The case of answers that no case has is empty.
        message: Theirs; of figures that differ the least and the most, of texts the first ones.
    """

    finding: Finding
    places: tuple[tuple[str, tuple[str, ...]], ...]
    message: str

    @property
    def cases(self) -> str:
        """``case_2_long, case_3``; of many the first ones and how many more. Empty where there is none."""
        return _few([case for case, _ in self.places if case])

    @property
    def steps(self) -> str:
        """``C2-1, C2-3``; of many the first ones and how many more. Empty where it is about no step."""
        return _few([step for _, steps in self.places for step in steps])

    @property
    def where(self) -> str:
        """``case_2_long: C2-1, C2-3``; empty where it is about no case."""
        return _few(
            [f"{case or 'answers'}: {_few(steps)}" if steps else case for case, steps in self.places], "; "
        )


def grouped(findings: Sequence[Finding]) -> list[Group]:
    """Put findings with the same severity, check and pattern together, where the first of them stands.

    Those without a pattern are the same where they have the same message.
    """
    together: dict[tuple[str, str, str], list[Finding]] = {}
    for entry in findings:
        together.setdefault((entry.severity, entry.check, entry.pattern or entry.message), []).append(entry)
    return [Group(group[0], _places(group), _message(group)) for group in together.values()]


def counts(findings: Sequence[Finding]) -> dict[Severity, int]:
    """How many there are of each severity, the worst first; those that ``grouped`` puts together are one."""
    counts = Counter(group.finding.severity for group in grouped(findings))
    return {name: counts[name] for name in SEVERITIES}


def counted(findings: Sequence[Finding]) -> str:
    """``2 errors, 1 warning, 0 infos``, by ``counts``."""
    return ", ".join(show.plural(n, name) for name, n in counts(findings).items())


def _message(group: Sequence[Finding]) -> str:
    first = group[0]
    if len(group) == 1 or not first.pattern:
        return first.message
    return first.pattern.format(
        **{name: _shown([entry.figures[name] for entry in group]) for name in first.figures}
    )


def _shown(values: Sequence[Figure]) -> str:
    """One figure, or from the least to the most of several; of texts each once."""
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        return _few(list(dict.fromkeys(map(str, values))), most=_TEXTS)
    ends = dict.fromkeys((min(numbers), max(numbers)))
    return " to ".join(percent(end, 1) if isinstance(end, float) else show.count(end) for end in ends)


def _places(group: Sequence[Finding]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    places: dict[str, list[str]] = {}
    for entry in group:
        if entry.case or entry.step:
            places.setdefault(entry.case or "", []).extend([entry.step] if entry.step else [])
    return tuple((case, tuple(dict.fromkeys(steps))) for case, steps in places.items())


def _few(names: Sequence[str], between: str = ", ", most: int = _MOST) -> str:
    if len(names) <= most:
        return between.join(names)
    return f"{between.join(names[: most - 1])} and {show.count(len(names) - most + 1)} more"


def listed(words: Sequence[str], most: int = 6) -> str:
    """``M1, M2 and M3``; of many the first and the last. Empty of none."""
    if len(words) > most:
        return f"{', '.join(words[: most - 2])} … {words[-1]}"
    return show.listed(words)


def percent(part: float, whole: float) -> str:
    """``36 %``; ``0 %`` only of nothing."""
    share = 100 * part / whole
    return f"{share:.1f} %" if 0 < share < 1 else f"{share:.0f} %"
