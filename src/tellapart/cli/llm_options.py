"""The options of language models, which every command that asks one takes alike."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, fields
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints
from urllib.parse import urlsplit

import typer

from tellapart.errors import MissingExtra, UsageError, near_match
from tellapart.llm.budget import Limits
from tellapart.llm.models import ANTHROPIC_VERSION, LanguageModel

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
        raise UsageError(f"--anthropic-version is {typed!r}, expected a date such as {ANTHROPIC_VERSION!r}")
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


QUESTION_PANEL, LIMITS_PANEL = "Language models: what is asked", "Language models: cost and limits"


def _option(
    flag: str,
    text: str,
    metavar: str | None = None,
    *,
    default: object = None,
    panel: str = QUESTION_PANEL,
) -> Any:
    shown = False if default is None else str(default)
    return typer.Option(flag, help=text, metavar=metavar, show_default=shown, rich_help_panel=panel)


_limit = partial(_option, panel=LIMITS_PANEL)


_BASE_URL = _option("--llm-base-url", "Server to ask instead of the provider's own.", "URL")
_TEMPERATURE = _option(
    "--temperature",
    "From 0 to 2; 'none' sends no temperature.",
    "NUMBER",
    default=f"{LanguageModel.temperature:g}",
)
_MAX_TOKENS = _option(
    "--max-tokens",
    "Most tokens of a reply, including its reasoning.",
    "N",
    default=LanguageModel.max_tokens,
)
_SEED = _option("--llm-seed", "Sent to providers that take one.", "N")
_EFFORT = _option("--reasoning-effort", ", ".join(EFFORTS) + ".", "EFFORT")
_SCHEMA = _option(
    "--response-schema/--no-response-schema",
    "Send the reply's schema as a parameter too; the prompt holds it either way.",
)
_VERSION = _option("--anthropic-version", "Header of Anthropic's API.", "DATE", default=ANTHROPIC_VERSION)
_TIMEOUT = _limit(
    "--timeout", "Time limit of one attempt.", "SECONDS", default=LanguageModel.attempt_timeout_s
)
_RETRIES = _limit(
    "--max-retries", "Retries after a temporary failure.", "N", default=LanguageModel.max_retries
)
_CONNECTIONS = _limit(
    "--max-connections", "Calls to a model at the same time.", "N", default=Limits.max_connections
)
_PRICE = _limit(
    "--price", "US dollars for a million tokens in, and out; or MODEL=IN,OUT for each model.", "IN,OUT"
)
_MAX_COST = _limit("--max-cost", "Spending limit of a run, resumed or not; needs --price.", "USD")
_ON_BUDGET = _limit(
    "--on-budget",
    "At --max-cost: stop, so that the run can be resumed; or close, with the rest recorded as missing.",
    "stop|close",
    default=Limits.on_budget,
)
_DRY_RUN = _limit("--dry-run", "Estimate calls, tokens and cost; send and write nothing.")


@dataclass(frozen=True)
class LlmOptions:
    """What was typed about language models; None where nothing was.

    ``with_llm_options`` makes an option of every field. Numbers are text, so that a bad one is told in a
    sentence of ours; ``models`` and ``limits`` read and check them.
    """

    llm_base_url: Annotated[str | None, _BASE_URL] = None
    temperature: Annotated[str | None, _TEMPERATURE] = None
    max_tokens: Annotated[str | None, _MAX_TOKENS] = None
    llm_seed: Annotated[str | None, _SEED] = None
    reasoning_effort: Annotated[str | None, _EFFORT] = None
    response_schema: Annotated[bool | None, _SCHEMA] = None
    anthropic_version: Annotated[str | None, _VERSION] = None
    timeout: Annotated[str | None, _TIMEOUT] = None
    max_retries: Annotated[str | None, _RETRIES] = None
    max_connections: Annotated[str | None, _CONNECTIONS] = None
    price: Annotated[list[str] | None, _PRICE] = None
    max_cost: Annotated[str | None, _MAX_COST] = None
    on_budget: Annotated[str | None, _ON_BUDGET] = None
    dry_run: Annotated[bool | None, _DRY_RUN] = None

    def models(self, names: Sequence[str]) -> list[LanguageModel]:
        """Read how the models are to be asked, in the order in which they were named, each once.

        Raises:
            UsageError: A name or an option cannot work.
            InputError: A recording cannot be read.
        """
        from tellapart.llm.replay import replayed_models

        parameters = self.parameters([name for name in names if not is_replay(name)])
        models: list[LanguageModel] = []
        for name in dict.fromkeys(names):
            if is_replay(name):
                models += replayed_models(name)
            else:
                models.append(LanguageModel(model(name), **parameters))
        return models

    def parameters(self, names: Sequence[str]) -> dict[str, Any]:
        """Arguments of ``LanguageModel`` that were given; ``names`` are those that are not replayed.

        Raises:
            UsageError: An option cannot work.
        """
        chosen: dict[str, Any] = {
            "base_url": _read(self.llm_base_url, address, names),
            "temperature": _read(self.temperature, temperature),
            "max_tokens": whole("--max-tokens", self.max_tokens, least=1),
            "seed": whole("--llm-seed", self.llm_seed, least=0),
            "reasoning_effort": _read(self.reasoning_effort, effort),
            "response_schema": self.response_schema,
            "anthropic_version": _read(self.anthropic_version, version, names),
            "attempt_timeout_s": whole("--timeout", self.timeout, least=1),
            "max_retries": whole("--max-retries", self.max_retries, least=0),
        }
        given = {name: value for name, value in chosen.items() if value is not None}
        if self.temperature == NO_TEMPERATURE:
            given["temperature"] = None
        return given

    def limits(self, names: Sequence[str]) -> Limits:
        """Read what asking these models may take.

        Raises:
            UsageError: An option cannot work, or lacks another one.
        """
        chosen: dict[str, Any] = {
            "max_connections": whole("--max-connections", self.max_connections, least=1),
            "max_cost": _read(self.max_cost, cost),
            "price": _read(self.price or None, prices, list(dict.fromkeys(names))),
            "on_budget": _read(self.on_budget, on_budget),
        }
        if self.max_cost is not None and not self.price:
            raise UsageError(
                "--max-cost needs to know what tokens cost",
                next_step="Give --price IN,OUT, US dollars for a million tokens in, and out",
            )
        if self.on_budget is not None and self.max_cost is None:
            raise UsageError("--on-budget needs --max-cost", next_step="Give --max-cost USD too")
        return Limits(**{name: value for name, value in chosen.items() if value is not None})

    def check_used(self, names: Sequence[str], flag: str, also: Mapping[str, object] | None = None) -> None:
        """Refuse options that nothing would come of, since no language model is asked, or only recordings.

        Args:
            names: The language models.
            flag: What names one.
            also: Options of the command that have an effect only with language models; None where not given.

        Raises:
            UsageError: There are such options, and no language models that would be asked.
        """
        given = [*_flags(self._given()), *(name for name, value in (also or {}).items() if value is not None)]
        if given and not names:
            raise UsageError(
                f"no language model is asked, so this has no effect: {', '.join(given)}",
                next_step=f"Name one with {flag}",
            )
        # A price says what the recorded tokens cost, and a command's own options what is looked up.
        of_use = {"--price", "--dry-run", *(also or {})} - {"--reuse"}
        unused = [name for name in given if name not in of_use]
        if unused and all(map(is_replay, names)):
            raise UsageError(
                "only recordings are asked, as they were asked then, so this has no effect: "
                f"{', '.join(unused)}",
                next_step="Leave that out, or name a model to ask",
            )

    def _given(self) -> list[str]:
        return [field.name for field in fields(self) if getattr(self, field.name) not in (None, [])]


def _read(typed: Any, read: Callable[..., Any], *context: Any) -> Any:
    """What an option says; None where it was not given, which an empty text is not."""
    return None if typed is None else read(typed, *context)


def _flags(names: Iterable[str]) -> list[str]:
    return [f"--{name.replace('_', '-')}" for name in names]


def check_named(models: Iterable[LanguageModel]) -> None:
    """See that providers are known, where there is an Inspect to know them; a dry run needs no key.

    Raises:
        UsageError: A provider is not known.
    """
    from tellapart.llm.connection import check_provider

    with suppress(MissingExtra):
        for model in models:
            if model.recording is None:
                check_provider(model)


def with_llm_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of language models; its own parameter ``asking`` receives them.

    Typer reads options from a signature, so each field of ``LlmOptions`` becomes a parameter of the result.
    """
    return llm_options_with({})(command)


def llm_options_with(defaults: Mapping[str, str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Do the same for a command that asks otherwise than most: help shows other defaults.

    Args:
        defaults: By field of ``LlmOptions``, as it would be typed; the command itself sees to it that they
            hold, since only it knows whether anything was typed.
    """

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        hints = get_type_hints(LlmOptions, include_extras=True)
        hints |= {name: _with_default(hints[name], value) for name, value in defaults.items()}
        keyword = inspect.Parameter.KEYWORD_ONLY
        added = [
            inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in hints.items()
        ]

        @wraps(command)
        def with_them(**arguments: Any) -> None:
            asking = LlmOptions(**{name: arguments.pop(name) for name in hints})
            command(**arguments, asking=asking)

        kept = [parameter for name, parameter in own.parameters.items() if name != "asking"]
        with_them.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
        return with_them

    return with_options


def _with_default(kind: Any, shown: str) -> Any:
    """The type of an option whose help shows another default."""
    option = copy(kind.__metadata__[0])
    option.show_default = shown
    return Annotated[kind.__origin__, option]
