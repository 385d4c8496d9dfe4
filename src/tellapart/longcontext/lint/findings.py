"""How findings are put together and counted for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tellapart.core.severity import SEVERITIES, Severity
from tellapart.longcontext.results import Finding
from tellapart.report import numbers as show

_MOST, _MESSAGES = 8, 3
"""Cases and steps, and messages, that are named where findings are shown as one; of more the first ones."""


@dataclass(frozen=True)
class Group:
    """Findings of one check with the same remedy, or without one the same message."""

    findings: tuple[Finding, ...]

    @property
    def finding(self) -> Finding:
        """The first."""
        return self.findings[0]

    @property
    def message(self) -> str:
        """Their messages and what to do."""
        messages = _few([one.message for one in self.findings], "; ", _MESSAGES)
        return f"{messages}: {self.finding.remedy}" if self.finding.remedy else messages

    @property
    def cases(self) -> str:
        """``case_2_long, case_3``; of many the first ones and how many more. Empty where there is none."""
        return _few([one.case or "" for one in self.findings])

    @property
    def steps(self) -> str:
        """``C2-1, C2-3``; of many the first ones and how many more. Empty where it is about no step."""
        return _few([one.step or "" for one in self.findings])

    @property
    def where(self) -> str:
        """``case_2_long: C2-1, C2-3``; empty where it is about no case."""
        steps: dict[str, list[str]] = {}
        for one in self.findings:
            if one.case or one.step:
                steps.setdefault(one.case or "answers", []).append(one.step or "")
        named = ((case, _few(of)) for case, of in steps.items())
        return _few([f"{case}: {of}" if of else case for case, of in named], "; ")


def grouped(findings: Sequence[Finding]) -> list[Group]:
    """Put together what is shown as one, where the first of it stands."""
    together: dict[tuple[str, str, str], list[Finding]] = {}
    for one in findings:
        together.setdefault((one.severity, one.check, one.remedy or one.message), []).append(one)
    return [Group(tuple(group)) for group in together.values()]


def counts(findings: Sequence[Finding]) -> dict[Severity, int]:
    """How many there are of each severity, the worst first; those that ``grouped`` puts together are one."""
    counts = Counter(group.finding.severity for group in grouped(findings))
    return {name: counts[name] for name in SEVERITIES}


def counted(findings: Sequence[Finding]) -> str:
    """``2 errors, 1 warning, 0 infos``, by ``counts``."""
    return ", ".join(show.plural(n, name) for name, n in counts(findings).items())


def _few(names: Iterable[str], between: str = ", ", most: int = _MOST) -> str:
    """The first distinct names and how many more there are."""
    names = list(filter(None, dict.fromkeys(names)))
    if len(names) <= most:
        return between.join(names)
    return f"{between.join(names[: most - 1])} and {show.count(len(names) - most + 1)} more"


def listed(words: Sequence[str], most: int = 6) -> str:
    """``M1, M2 and M3``; of many the first and the last. Empty of none."""
    if len(words) > most:
        return f"{', '.join(words[: most - 2])} … {words[-1]}"
    return show.listed(words)


def percent(share: float) -> str:
    """``36 %``; ``0 %`` only of nothing."""
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
