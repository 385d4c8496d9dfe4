"""The library MTEB: whether it is there, quiet and quick to fail, and how our tasks are described to it."""

from __future__ import annotations

import logging
import socket
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tellapart.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from mteb import TaskMetadata

SPLIT = "test"

UNNAMED = "no_model_name"
"""What MTEB calls models of sentence-transformers that were loaded from a directory, all of them."""

_CONNECT_S = 5.0

PROMPT = "Given a description of what code does, retrieve the code that it describes"
"""For models that take an instruction; MTEB lets each put it into a form of its own, in front of queries."""


def require_mteb(feature: str) -> None:
    """Check that MTEB is there."""
    if find_spec("mteb") is None:
        raise MissingExtra(feature, "mteb")


@contextmanager
def quiet_mteb() -> Iterator[None]:
    """Have MTEB, and what it loads with, neither warn, nor log, nor retry for minutes without a network.

    Where the Hugging Face hub does not answer, only what was downloaded earlier is used: each file would be
    asked for six times.
    """
    import datasets
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE
    disabled = logging.root.manager.disable
    bars = datasets.are_progress_bars_disabled()
    logging.disable(logging.WARNING)
    datasets.disable_progress_bars()
    if not before[0] and not _answers(constants.ENDPOINT):
        constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE = before
        logging.disable(disabled)
        if not bars:
            datasets.enable_progress_bars()


def named_object(reference: str, feature: str) -> Any:
    """Import what ``MODULE:NAME`` or ``MODULE:NAME:ARGUMENT`` names; with an argument it is called."""
    module, name, *argument = reference.split(":", 2)
    try:
        value = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"{feature} cannot be imported from {reference!r}: {error}",
            next_step="Expected MODULE:NAME; a module beside you is found with PYTHONPATH=. in front",
        ) from error
    return value(*argument) if argument else value


def _answers(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 443), timeout=_CONNECT_S):
            return True
    except OSError:
        return False


def code_search_metadata(
    name: str = "TellapartCodeSearch",
    *,
    revision: str = "1",
    subsets: Sequence[str] = ("default",),
) -> TaskMetadata:
    """Describe a task of finding code by a summary.

    Its type, ``Reranking``, and its prompt are the same whichever benchmark it is, so that
    ``--model mteb:NAME`` and `mteb.evaluate` embed a text alike.
    """
    require_mteb("describing a task to MTEB")
    from mteb import TaskMetadata

    prompt: Any = {"query": PROMPT}
    languages: Mapping[str, list[str]] = {subset: ["eng-Latn"] for subset in subsets}
    return TaskMetadata(
        name=name,
        description="Find the code that a summary describes among code that is like it.",
        reference=None,
        dataset={"path": "tellapart/local", "revision": revision},
        type="Reranking",
        category="t2t",
        modalities=["text"],
        eval_splits=[SPLIT],
        eval_langs=dict(languages) if len(languages) > 1 else ["eng-Latn"],
        main_score="precision_at_1",
        date=None,
        domains=["Programming"],
        task_subtypes=[],
        license=None,
        annotations_creators=None,
        dialect=[],
        sample_creation=None,
        prompt=prompt,
        bibtex_citation="",
    )
