"""Names blanked: benchmarks that no model can solve by the name of a unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tellapart.contrastive.summaries import SHORTEST, Summary, qualified_name
from tellapart.contrastive.units import Material
from tellapart.embed.identifiers import split_identifiers
from tellapart.extraction.unit import Unit

BLANK = "___"
"""Stands for the name, the same for every unit; models that count words see nothing in it."""

_BETWEEN = r"[ _-]?"
"""Between two words of a name in another spelling: ``split bill``, ``split-bill``, ``splitBill``."""


def mask_material(material: Material) -> Material:
    """Blank each unit's own name in its code, its signature and all that is said about it.

    Targets and candidates alike: a blank in one option alone would give the answer away.
    """
    units = [mask_unit(unit) for unit in material.units]
    masked = mask_summaries(material.units, material.summaries)
    kept = [summary for summary in masked if len(summary.text.replace(BLANK, "").strip()) >= SHORTEST]
    counts = material.counts | {
        "names_masked": {
            "units": sum(a.content != b.content for a, b in zip(units, material.units, strict=True)),
            "summaries": sum(a.text != b.text for a, b in zip(masked, material.summaries, strict=True)),
            "too_short": len(masked) - len(kept),
        }
    }
    return replace(material, units=tuple(units), summaries=tuple(kept), counts=counts)


def mask_unit(unit: Unit) -> Unit:
    """Blank the unit's name in its code, signature and docstring, with what it is inside (``Cart.add``).

    A name of several words is blanked in any spelling, as in ``_split_bill_fast`` and in comments.
    """
    in_code, in_prose = _patterns(unit)
    return replace(
        unit,
        content=in_code.sub(BLANK, unit.content),
        signature=in_code.sub(BLANK, unit.signature),
        docstring=unit.docstring and in_prose.sub(BLANK, unit.docstring),
    )


def mask_summaries(units: Sequence[Unit], summaries: Sequence[Summary]) -> list[Summary]:
    """Blank the name of the unit that each summary is about; its words apart, as in "split a bill", stay."""
    by_id = {unit.id: unit for unit in units}
    return [
        replace(summary, text=_patterns(by_id[summary.unit])[1].sub(BLANK, summary.text))
        for summary in summaries
    ]


@cache
def _patterns(unit: Unit) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is blanked in code and in prose."""
    bare, qualified = unit.name, qualified_name(unit)
    within = "|".join(map(re.escape, filter(None, qualified.split(".")[:-1])))
    inside = rf"(?:(?:{within})(?:\.|::|->|#|\\))*" if within else ""
    name = rf"(?<!\w){inside}{re.escape(bare)}(?!\w)"
    words = split_identifiers(bare)
    spelled = rf"(?i:(?<![^\W_]){_BETWEEN.join(map(re.escape, words))}(?![^\W_]))"
    in_prose = f"{name}|{spelled}" if words else name
    return re.compile(in_prose if len(words) > 1 else name), re.compile(in_prose)
