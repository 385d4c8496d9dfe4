"""Values of the options of language models, read and checked before any work, each with its own sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tellapart.errors import UsageError, near_match

if TYPE_CHECKING:
    from tellapart.llm.budget import Price

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""What ``--reasoning-effort`` takes; which of them a model knows is its provider's business."""

NO_TEMPERATURE = "none"
"""What ``--temperature`` takes for sending none."""


def whole(option: str, typed: str | None, *, least: int) -> int | None:
    """Read a whole number; None stays None.

    Raises:
        UsageError: It is none, or less than ``least``.
    """
    if typed is None:
        return None
    try:
        number = int(typed)
    except ValueError:
        number = least - 1
    if number < least:
        raise UsageError(f"{option} is {typed!r}, expected a whole number of at least {least}")
    return number


def temperature(typed: str) -> float | None:
    """Read ``--temperature``; None where none is to be sent.

    Raises:
        UsageError: It is no number from 0 to 2.
    """
    if typed == NO_TEMPERATURE:
        return None
    number = _number(typed)
    if not 0 <= number <= 2:
        raise UsageError(
            f"--temperature is {typed!r}, expected a number from 0 to 2, or {NO_TEMPERATURE!r} to send none"
        )
    return number


def effort(typed: str) -> str:
    """Read ``--reasoning-effort``.

    Raises:
        UsageError: There is no such effort.
    """
    return _one_of("--reasoning-effort", typed, EFFORTS)


def on_budget(typed: str) -> str:
    """Read ``--on-budget``.

    Raises:
        UsageError: It is neither ``stop`` nor ``close``.
    """
    return _one_of("--on-budget", typed, ("stop", "close"))


def cost(typed: str) -> float:
    """Read ``--max-cost``, in US dollars.

    Raises:
        UsageError: It is no number above zero.
    """
    number = _number(typed)
    if not 0 < number < math.inf:
        raise UsageError(f"--max-cost is {typed!r}, expected US dollars, more than 0")
    return number


def prices(typed: Sequence[str], names: Sequence[str]) -> Price | dict[str, Price]:
    """Read ``--price``: US dollars for a million tokens in, and out.

    Args:
        typed: One price for all models, or one for each as ``PROVIDER/MODEL=IN,OUT``.
        names: The models that are asked.

    Raises:
        UsageError: A price is not two numbers of at least zero, is of no model that is asked, or is missing.
    """
    by_model = {}
    for entry in typed:
        name, _, numbers = entry.rpartition("=")
        if name in by_model:
            raise UsageError(f"--price is given twice for {name or 'all models'!r}")
        if name and name not in names:
            raise UsageError(
                f"--price is given for {name!r}, which is not asked", next_step=near_match(name, names)
            )
        by_model[name] = _price(entry, numbers)
    if "" in by_model:
        if len(by_model) > 1:
            raise UsageError("--price is given for all models and for some; expected one or the other")
        return by_model[""]
    missing = [name for name in names if name not in by_model and not is_replay(name)]
    if missing:
        raise UsageError(
            f"--price is missing for {missing[0]!r}", next_step=f"Give --price {missing[0]}=IN,OUT"
        )
    return by_model


def _price(entry: str, numbers: str) -> Price:
    parts = [_number(part) for part in numbers.split(",")]
    if len(parts) != 2 or not all(0 <= part < math.inf for part in parts):
        raise UsageError(
            f"--price is {entry!r}, expected US dollars for a million tokens in, and out, such as '3,15', "
            "or 'PROVIDER/MODEL=3,15'"
        )
    return parts[0], parts[1]


def version(typed: str, names: Sequence[str]) -> str:
    """Read ``--anthropic-version``.

    Raises:
        UsageError: It is no date, or no model of Anthropic is asked.
    """
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", typed):
        raise UsageError(f"--anthropic-version is {typed!r}, expected a date such as '2023-06-01'")
    if "anthropic" not in _providers(names):
        raise UsageError(
            f"--anthropic-version has no use: there is no anthropic/MODEL among {', '.join(names)}"
        )
    return typed


def address(typed: str, names: Sequence[str]) -> str:
    """Read ``--llm-base-url``.

    Raises:
        UsageError: It is no address, or models of several providers would be asked there, each with its key.
    """
    parts = urlsplit(typed)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"--llm-base-url is {typed!r}, expected an address such as 'http://localhost:8000/v1'"
        )
    providers = sorted(_providers(names))
    if len(providers) > 1:
        raise UsageError(
            f"--llm-base-url is one server, but the models are of several providers: {', '.join(providers)}",
            next_step="Ask them in runs of their own, or set PROVIDER_BASE_URL in the environment for each",
        )
    return typed


def model(name: str) -> str:
    """Check the form of a model's name.

    Raises:
        UsageError: It does not say the provider, or not the model.
    """
    provider, _, rest = name.partition("/")
    if not provider or not rest:
        raise UsageError(
            f"the language model {name!r} is not named as PROVIDER/MODEL",
            next_step="Write for instance 'anthropic/claude-sonnet-5-5' or 'openai/gpt-5-mini'",
        )
    return name


def is_replay(name: str) -> bool:
    """Whether a name is that of a recording."""
    # Late, since the name of no model needs to be read before there is one.
    from tellapart.llm import replay

    return replay.is_replay(name)


def _one_of(option: str, typed: str, choices: Sequence[str]) -> str:
    if typed not in choices:
        raise UsageError(f"{option} is {typed!r}", next_step=near_match(typed, choices))
    return typed


def _providers(names: Sequence[str]) -> set[str]:
    return {name.partition("/")[0] for name in names if not is_replay(name)}


def _number(typed: str) -> float:
    try:
        return float(typed)
    except ValueError:
        return math.nan
