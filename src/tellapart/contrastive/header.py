"""What a frozen benchmark says of itself."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Header(BaseModel):
    """``benchmark.json``.

    Attributes:
        schema_version: Of this record.
        fingerprint: ``hash|seed|items`` over everything else here, the hashes of the files included.
        seed: Of targets and draws.
        selector: Name of what ranked the candidates.
        selector_fingerprint: Its model, revision and parameters.
        bands: ``calibrated`` or ``absolute``.
        cross_language: Whether other languages' units were candidates.
        levels: Names, in ascending order of difficulty.
        counts: What was found, kept and left out. Where language models wrote the summaries, by model:
            ``names_leaked_by``, ids of the units whose name a summary contains; ``names_leaked_ordinary``,
            how many of these names are ordinary words; ``summaries_missing``, causes by unit.
        files: SHA-256 of each file.
    """

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1] = 1
    fingerprint: str = ""
    seed: int
    selector: str
    selector_fingerprint: str
    bands: Literal["calibrated", "absolute"]
    cross_language: bool
    levels: list[str]
    counts: dict[str, Any]
    files: dict[str, str] = {}

    def description(self) -> str:
        """What was found, kept and left out, in a few lines for people."""
        counts = self.counts
        left_out = {name: counts.get(name, 0) for name in ("copies", "undocumented")}
        named, written = counts["names_leaked"], sum(counts["summaries"].values())
        short = ", ".join(
            f"{count} at {level}" for level, count in counts["insufficient_distractors"].items()
        )
        items = ", ".join(
            f"{counts['items'][level]:,} {level}" for level in self.levels if level in counts["items"]
        )
        return "\n".join(
            [
                f"{sum(counts['items'].values()):,} items about {counts['targets']:,} targets: {items}",
                f"candidates: {counts['units']:,} units "
                f"({_listed(counts['languages'])}; {_listed(counts['types'])})",
                f"left out: {_listed(left_out | counts.get('skipped', {}))}",
                f"too few candidates: {short or 'nowhere'}",
                f"names leaked: {named:,} of {written:,} summaries contain the name of their unit",
                *self._writers(),
                f"fingerprint: {self.fingerprint}",
            ]
        )

    def _writers(self) -> list[str]:
        """One line for each language model that was to write summaries."""
        counts, lines = self.counts, []
        for source, missing in counts.get("summaries_missing", {}).items():
            written, leaked = counts["summaries"].get(source, 0), len(counts["names_leaked_by"][source])
            causes = dict(sorted(Counter(missing.values()).items()))
            ordinary = counts["names_leaked_ordinary"][source]
            lines.append(
                f"summaries by {source}: {written:,} of {written + len(missing):,}, "
                f"missing: {_listed(causes) or 'none'}; names leaked: {leaked:,}"
                + (f", of which ordinary words: {ordinary:,}" if ordinary else "")
            )
        return lines


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())
