"""For MTEB: a frozen benchmark as a task of `mteb.evaluate`, and a folder of predictions for each model.

```python
import mteb
from tellapart.integrations.mteb import prediction_folder, task

model = mteb.get_model("intfloat/e5-base-v2")
mteb.evaluate(model, task("bench"), prediction_folder=prediction_folder("pred", model))
```
"""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.embed.mteb_library import UNNAMED, require_mteb
from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.integrations.mteb_task import ContrastiveTask

__all__ = ["prediction_folder", "task"]


def task(bench: str | PathLike[str]) -> ContrastiveTask:
    """Give a frozen contrastive benchmark as a task of MTEB.

    A query is a summary, and its candidates are the code of its item: the target and the distractors. Each
    level is a subset, where there are several, and with summaries by several writers each level of each
    writer. The main score is ``precision_at_1``, the share of items whose target stands first. Where no two
    options of an item have equal scores, it is what ``tellapart contrastive run`` calls correct; of equal
    ones MTEB takes the greatest id, and tellapart the expectation over all orders.

    The task is named after the fingerprint of the benchmark, so that MTEB's cache of results never takes one
    for another.

    Args:
        bench: A directory that ``tellapart contrastive build`` wrote.

    Raises:
        MissingExtra: MTEB is not installed.
        InputError: There is no benchmark, or it is not as it was frozen; or MTEB is too old.
    """
    require_mteb("running a benchmark inside MTEB")
    from tellapart.integrations.mteb_task import contrastive_task

    return contrastive_task(Path(bench))


def prediction_folder(parent: str | PathLike[str], model: Any) -> Path:
    """Name a folder for the predictions of one model.

    MTEB adds the predictions of a second model to the file of the first, under the name of the first.

    Args:
        parent: Where the folders of all models lie.
        model: A model of MTEB, or its ``ModelMeta``.

    Returns:
        ``PARENT/OWNER__NAME``, with the revision after it where there is one; it need not be there yet.

    Raises:
        UsageError: It has no name, as one of sentence-transformers that was loaded from a directory.
    """
    meta = getattr(model, "mteb_model_meta", model)
    name, revision = getattr(meta, "name", None), getattr(meta, "revision", None)
    if not isinstance(name, str) or name.startswith(UNNAMED):
        raise UsageError(
            f"this {type(model).__name__} has no name, so that its predictions cannot be told from others'",
            next_step="Wrap it in mteb.SentenceTransformerEncoderWrapper, and give it a name: "
            'model.mteb_model_meta = model.mteb_model_meta.model_copy(update={"name": "owner/name"})',
        )
    parts = [name, *([revision] if isinstance(revision, str) else [])]
    return Path(parent) / "__".join(re.sub(r"[^\w.@-]+", "__", part) for part in parts)
