"""What the samples of an Inspect log are called in a score table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tellapart.audit.reading.json_text import part
from tellapart.core.scores import FIXED

_OWN = "score_table"


@dataclass(frozen=True)
class Layout:
    """Where a log has the columns of a score table.

    Attributes:
        task: Its name.
        epochs: How often each sample was run.
        columns: By column, the metadata that holds it, as tasks of ours say in their log; empty for others.
        label: What is compared, with ``{model}`` for the model's name.
    """

    task: str
    epochs: int
    columns: Mapping[str, str] = field(default_factory=dict)
    label: str = "{model}"

    @property
    def metric(self) -> str | None:
        """The scorer whose values are the scores, where the task says so."""
        return self.columns.get("score")

    @property
    def limits(self) -> tuple[float, float] | None:
        """Of scores, where the task is ours."""
        return (0.0, 1.0) if self.columns else None

    @property
    def constant(self) -> dict[str, str]:
        """Strata of all samples; of a task of ours none, so that its log and its run are one table."""
        return {} if self.columns else {"task": self.task}

    def model(self, name: str) -> str:
        """Name what is compared."""
        return self.label.replace("{model}", name)

    def item(self, sample: Mapping[str, Any]) -> str:
        """Name the item: by the task and the sample's id, where the task does not say how."""
        own = self._own("item", sample)
        return f"{self.task}/{sample.get('id')}" if own is None else str(own)

    def replicate(self, sample: Mapping[str, Any]) -> int:
        """Number the answers to an item: what the task itself asks several times, each in every epoch."""
        own, epoch = self._own("replicate", sample), int(sample.get("epoch", 1)) - 1
        return own * self.epochs + epoch if isinstance(own, int) else epoch

    def cluster(self, sample: Mapping[str, Any]) -> str | None:
        """Name what the item shares its source with."""
        found = part(sample, "metadata").get(self.columns.get("cluster", "cluster"))
        return None if found is None else str(found)

    def traits(self, sample: Mapping[str, Any]) -> Mapping[str, object]:
        """What may sort items: all metadata, or what the task names."""
        if not self.columns:
            return part(sample, "metadata")
        return {name: self._own(name, sample) for name in self.columns if name not in FIXED}

    def _own(self, column: str, sample: Mapping[str, Any]) -> Any:
        return part(sample, "metadata").get(self.columns[column]) if column in self.columns else None


def layout_of(spec: Mapping[str, Any]) -> Layout:
    """Find the layout of a log in what it says of its task.

    Args:
        spec: ``eval`` of the log's header.
    """
    facts = part(spec, "metadata")
    named = part(facts, _OWN)
    epochs = part(spec, "config").get("epochs")
    return Layout(
        task=str(spec.get("task")),
        epochs=epochs if isinstance(epochs, int) and epochs > 0 else 1,
        columns=dict(named) if named and all(isinstance(value, str) for value in named.values()) else {},
        label=str(facts.get("label", "{model}")) if named else "{model}",
    )
