"""What to know about the language models of a run before its verdict is believed."""

from __future__ import annotations

from tellapart.contrastive.page.llm.slots import slot_lines
from tellapart.contrastive.page.llm.steadiness import flip_lines
from tellapart.contrastive.page.record import View
from tellapart.report.model_parameters import parameter_lines


def cautions(view: View) -> list[str]:
    """Say what may explain a lead other than the models: slots, chance, parameters."""
    return [*slot_lines(view), *flip_lines(view), *parameter_lines(view.language_models)]
