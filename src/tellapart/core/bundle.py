"""One bundle and one event, as records: to write, mine and convert them. Scores are computed from frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class Text:
    """A text and where it came from.

    Attributes:
        event_id: The event that it is of; None where that is not recorded.
        sense: What it means, for words of several senses.
        source: The corpus that it was taken from.
    """

    text: str
    event_id: str | None = None
    sense: str | None = None
    source: str | None = None

    @classmethod
    def from_json(cls, value: str | Mapping[str, Any]) -> Text:
        """Take a string, or an object of these fields."""
        return cls(value) if isinstance(value, str) else cls(**value)

    def to_json(self) -> str | dict[str, str]:
        """A plain string where there is nothing but the text."""
        given = {"event_id": self.event_id, "sense": self.sense, "source": self.source}
        fields = {name: value for name, value in given.items() if value is not None}
        return {"text": self.text, **fields} if fields else self.text


@dataclass(frozen=True, slots=True)
class Bundle:
    """An anchor, the text that belongs to it and the texts that do not.

    Attributes:
        bundle_id: Unlike that of any other bundle of its eval.
        anchor: What the others are compared with.
        positive: What a model should find most similar.
        tier: One of ``TIERS``, or None where it has not been assigned.
        metadata: Anything that JSON can hold.
    """

    bundle_id: str
    anchor: Text
    positive: Text
    negatives: tuple[Text, ...]
    tier: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Bundle:
        """Take a row of our own form, which has been checked and has a ``bundle_id``."""
        return cls(
            row["bundle_id"],
            Text.from_json(row["anchor"]),
            Text.from_json(row["positive"]),
            tuple(Text.from_json(text) for text in row["negatives"]),
            row.get("tier"),
            row.get("metadata") or {},
        )

    def to_row(self) -> dict[str, Any]:
        """A row of our own form, without ``tier`` and ``metadata`` where there is none."""
        row: dict[str, Any] = {
            "bundle_id": self.bundle_id,
            "anchor": self.anchor.to_json(),
            "positive": self.positive.to_json(),
            "negatives": [text.to_json() for text in self.negatives],
        }
        if self.tier is not None:
            row["tier"] = self.tier
        if self.metadata:
            row["metadata"] = dict(self.metadata)
        return row


class Event(BaseModel):
    """One line of an events file.

    Attributes:
        event_id: Unique in the file.
        text: Not empty.
        sense: What the text is an example of; a name for the whole file, not only within a lemma.
        lemma: The word that has several senses; None for an event that shares its word with no other.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    event_id: str
    text: str
    sense: str
    lemma: str | None = None


def content(text: str) -> str:
    """What makes two texts copies of each other: all but the amount and kind of white space."""
    return " ".join(text.split())
