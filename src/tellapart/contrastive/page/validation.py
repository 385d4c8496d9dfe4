"""The page of a validation: the original method, its repair and the levels beside one another."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from tellapart.contrastive.page import methods
from tellapart.contrastive.page.charts import validation_charts
from tellapart.contrastive.results import SetUps
from tellapart.core.comparison import Comparison
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section


def validation_document(
    result: SetUps, repositories: Sequence[str], options: Sequence[str], comparison: Comparison | None
) -> Document:
    """Arrange a validation as a page."""
    by_name = methods.setups(result)
    models = tuple(sorted({model for setup in by_name.values() for model in setup.models}))
    items = max(
        (row.n + row.missing for setup in by_name.values() for row in setup.models.values()), default=0
    )
    accuracies, *needed = methods.validation(result)
    sections = (
        *([block.section(comparison, order=list(by_name))] if comparison else []),
        Section(
            "validation",
            "Against the original method",
            "The same targets and models under the original method, its repair and this suite's levels.",
            charts=tuple(validation_charts(result, None, models)),
            tables=(accuracies, *needed),
        ),
        Section("gap", "Confidence gap", tables=(methods.gaps(result),)),
    )
    return Document(
        "contrastive: ways of choosing distractors",
        block.headline(comparison) if comparison else block.nothing_to_compare(models),
        (methods.SETUPS_ARE,),
        {
            "Repositories": ", ".join(repositories),
            "Models": show.listed(models),
            "Targets": show.count(items),
            "Set-ups": show.listed(list(by_name)),
        },
        sections,
        commands=(f"tellapart contrastive validate {shlex.join([*repositories, *options])}",),
    )
