"""What a check finds, and how findings are worded and put together for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.results import SEVERITIES, Finding
from tellapart.report import numbers as show


@dataclass(frozen=True)
class Group:
    """One message, with all the places that it is said of.

    Attributes:
        finding: The first of them.
        places: Cases, each with the ids of its steps, in order; without ids it is of the case as a whole.
            Empty of what is about no case.
    """

    finding: Finding
    places: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def where(self) -> str:
        """``case_2_long: C2-1, C2-3``; empty where it is about no case."""
        return "; ".join(f"{case}: {', '.join(steps)}" if steps else case for case, steps in self.places)


def grouped(findings: Sequence[Finding]) -> list[Group]:
    """Put findings with the same severity, check and message together, where the first of them stands."""
    together: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        together.setdefault((finding.severity, finding.check, finding.message), []).append(finding)
    return [Group(group[0], _places(group)) for group in together.values()]


def counted(findings: Sequence[Finding]) -> str:
    """``2 errors, 1 warning, 0 infos``."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(show.plural(counts[name], name) for name in SEVERITIES)


def _places(group: Sequence[Finding]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    places: dict[str, list[str]] = {}
    for finding in group:
        if finding.case or finding.step:
            places.setdefault(finding.case or "", []).extend([finding.step] if finding.step else [])
    return tuple((case or "answers", tuple(dict.fromkeys(steps))) for case, steps in places.items())


def listed(words: Sequence[str], most: int = 6) -> str:
    """``M1, M2 and M3``; of many the first and the last. Empty of none."""
    if len(words) > most:
        words = [*words[: most - 2], "…", words[-1]]
        return ", ".join(words[:-2]) + f" … {words[-1]}"
    return show.listed(words)


def percent(part: float, whole: float) -> str:
    """``36 %``; ``0 %`` only of nothing."""
    share = 100 * part / whole
    return f"{share:.1f} %" if 0 < share < 1 else f"{share:.0f} %"
