"""One iteration, evaluated: its cases with all figures, as ``evaluation.json`` has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, TypeAdapter, model_serializer

from tellapart.codesearch.figures import GoldSummary, Metrics
from tellapart.codesearch.model import Case, Optional, Unusable
from tellapart.errors import InputError

SYSTEM, SEARCHED_BY, UNRANKED = "system", "searched_by", "unranked"
"""Fields of an evaluation: the system under test; how the search results call it, where that is another name;
and whether the order of its files means nothing."""

AT_BASE, GOLD_FORM, LEFT_OUT = "at_base", "gold_form", "left_out"
"""Fields of search results, the first two of evaluations too: whether each issue's base commit was searched;
the origin of gold, in words; and how many lines or items name no file, by reason."""

BASIS, NOTES, WITHHELD = "calibration_basis", "input_notes", "withheld"
"""Fields of an evaluation: the rule of calibration and the counts of iterations before; remarks on the search
results; and how many files nobody is shown as secrets, by reason."""

LEXICAL = "lexical"  # The name of our own search system, and of the explorer that searches in the same way


@dataclass(frozen=True)
class Evaluation:
    """One iteration, evaluated."""

    iteration: Annotated[int, Field(alias="iteration_number")]
    timestamp: str | None
    cases: Annotated[tuple[Case, ...], Field(alias="conversations")]
    unusable: Annotated[tuple[Unusable, ...], Field(alias="unusable_conversations")] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    metrics: Metrics | None = None
    gold: Annotated[GoldSummary | None, Optional] = None
    warnings: tuple[str, ...] = ()

    @model_serializer(mode="wrap")
    def _ordered(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The documented fields first, then those of the file, then what was left out."""
        data: dict[str, Any] = handler(self)
        first = [name for name in ("iteration_number", "timestamp", "metrics", "gold") if name in data]
        facts: dict[str, Any] = data.pop("facts")
        return {name: data.pop(name) for name in (*first, "conversations")} | facts | data

    @property
    def figures(self) -> Metrics:
        """The figures of the whole, once they are computed."""
        assert self.metrics is not None, "score_evaluation comes first"
        return self.metrics

    def to_json(self) -> dict[str, Any]:
        """The documented JSON, with ours behind it."""
        data: dict[str, Any] = TypeAdapter(Evaluation).dump_python(
            self, mode="json", by_alias=True, exclude_unset=True
        )
        return data


IN_A_RUN = "artifacts/evaluation.json"  # The evaluation of a run


def evaluation_file(path: Path) -> Path:
    """Find the file of an evaluation."""
    file = path / IN_A_RUN if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "there is no evaluation here",
            where=path,
            next_step="Name an evaluation.json, or a run directory of 'tellapart codesearch evaluate'",
        )
    return file
