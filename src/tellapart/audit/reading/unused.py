"""Choices that no file has a use for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tellapart.audit.reading.log_scores import Choices
from tellapart.errors import InputError, UsageError


def check_used(choices: Choices, found: Sequence[tuple[str, Any]], known: Sequence[Any]) -> None:
    """Refuse a choice that would be passed over in silence.

    Args:
        choices: Of all files; ``model`` is any that was given.
        found: Each file and the module that reads its form.
        known: The modules of all forms. ``TAKES`` of one names the choices that it can use.

    Raises:
        InputError: The file of judgments is not there.
        UsageError: A choice was made that none of the forms takes.
    """
    if choices.qrels is not None and not choices.qrels.exists():
        raise InputError("there is no such file", where=choices.qrels)
    for name, value in vars(choices).items():
        if value is None or any(name in form.TAKES for _, form in found):
            continue
        file, form = found[0]
        others = f", and {len(found) - 1} more" if len(found) > 1 else ""
        raise UsageError(
            f"no file here has a use for --{name}: {file} is read as {form.NAME}{others}",
            next_step=f"It is for: {', '.join(form.NAME for form in known if name in form.TAKES)}",
        )
