"""What must stay with scores wherever they go: cautions, the part that was declared, units of figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tellapart.core.figure_units import FigureUnit
from tellapart.errors import InputError

METADATA_KEY = "tellapart.scores"
"""Under which a Parquet file of scores keeps its notes."""


_SEVERAL_STOPS = (
    "These runs each stopped when models were told apart, and no verdict across them allows for that."
)

MUCH_LONGER = 3
"""So many times the length of others, answers are much longer."""


def differ_in_length(lengths: Mapping[str, float], favours: str) -> str:
    """Warn where the longest answers are much longer than the shortest; empty where they are not."""
    if not lengths:
        return ""
    longest, shortest = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
    if lengths[longest] < MUCH_LONGER * lengths[shortest] or lengths[longest] == 0:
        return ""
    return (
        f"half of the answers of {longest} have {lengths[longest]:g} files or more, half of those of "
        f"{shortest} {lengths[shortest]:g} or fewer, and {favours}"
    )


class Looks(BaseModel):
    """How a run asked items until models were told apart.

    Attributes:
        max_items: The most items that it would have asked.
        order: Those that it asked, in this order.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_items: int
    order: tuple[str, ...]

    @property
    def caution(self) -> str:
        """What a reader must know."""
        return (
            f"The run was to stop when the models were told apart, and asked {len(self.order):,} of at most "
            f"{self.max_items:,} items: the verdict allows for that, means and details by kind do not."
        )


class ScoreNotes(BaseModel):
    """Notes on scores, kept with them in their file and said wherever a verdict on them is.

    Attributes:
        by: The column whose values are the secondary family, or None.
        primary: Column and value of the items that the primary family is about; only what was fixed before
            the scores were known is stored here. None for all items.
        cautions: What decides how much a verdict is worth, a sentence each.
        withheld: By model, why no verdict on it can rest on these scores: a clause. What they are measured
            against was made in the way in which the model works.
        measure: What the scores are, where a run chose one of several measures; two can have equal scores.
        lengths: By model, the median length of its answers, where these scores depend on it.
        favours: What length alone can do to them, a clause: ``recall favours whoever returns more``.
        units: Kind and unit of the figures in further columns, by column.
        looks: Where the run stopped when models were told apart: its looks. None where all items were asked.
        excluded: Items that somebody left out after the scores were known: a comparison of the others makes
            no headline. It is of what was read and never stored.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    by: str | None = None
    primary: tuple[str, str] | None = None
    cautions: tuple[str, ...] = ()
    withheld: dict[str, str] = Field(default_factory=dict)
    measure: str = ""
    lengths: dict[str, float] = Field(default_factory=dict)
    favours: str = ""
    units: dict[str, FigureUnit] = Field(default_factory=dict)
    looks: Looks | None = None
    excluded: int = Field(default=0, exclude=True)

    def to_metadata(self) -> dict[str, str]:
        """Give the notes as a Parquet file keeps them; nothing where there is nothing to note."""
        return {} if self == ScoreNotes() else {METADATA_KEY: self.model_dump_json(exclude_defaults=True)}

    def renamed(self, names: Mapping[str, str]) -> ScoreNotes:
        """Give the notes where models are called otherwise; ``names`` by their former name."""
        withheld = {names.get(model, model): why for model, why in self.withheld.items()}
        lengths = {names.get(model, model): length for model, length in self.lengths.items()}
        return self.model_copy(update={"withheld": withheld, "lengths": lengths})

    @classmethod
    def from_metadata(cls, metadata: dict[str, Any]) -> ScoreNotes:
        """Read what `to_metadata` gave; nothing noted where there is nothing."""
        try:
            return cls.model_validate_json(metadata.get(METADATA_KEY, "{}"))
        except ValidationError as error:
            raise InputError(f"the notes on these scores are damaged: {error.errors()[0]['msg']}") from None

    @classmethod
    def together(cls, notes: Iterable[ScoreNotes]) -> ScoreNotes:
        """Join the notes of several files: all cautions and models withheld; of the rest what all say.

        Where answers differ in length by ``MUCH_LONGER`` or more, that is a caution too.
        """
        every = list(notes)
        by, primary, favours = (
            {getattr(part, name) for part in every} for name in ("by", "primary", "favours")
        )
        named = [(name, unit) for part in every for name, unit in part.units.items()]
        units = {name: unit for name, unit in named if all(part.units.get(name) == unit for part in every)}
        lengths = {model: length for part in every for model, length in part.lengths.items()}
        clause = favours.pop() if len(favours) == 1 else ""
        cautions = [differ_in_length(lengths, clause) if clause else ""]
        looks = {part.looks for part in every if part.looks is not None}
        if len(looks) > 1:
            cautions.append(_SEVERAL_STOPS)
        cautions += [caution for part in every for caution in part.cautions]
        return cls(
            by=by.pop() if len(by) == 1 else None,
            primary=primary.pop() if len(primary) == 1 else None,
            cautions=tuple(dict.fromkeys(filter(None, cautions))),
            withheld={model: why for part in every for model, why in part.withheld.items()},
            units=units,
            looks=looks.pop() if len(looks) == 1 else None,
        )
