"""The options of language models, which every command that asks one takes alike."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from tellapart.cli import llm_values as values
from tellapart.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from tellapart.llm.budget import Limits
    from tellapart.llm.models import LanguageModel


def _option(flag: str, text: str, metavar: str | None = None, *, default: str | bool = False) -> Any:
    panel = "Language models: what is asked"
    return typer.Option(flag, help=text, metavar=metavar, show_default=default, rich_help_panel=panel)


def _limit(flag: str, text: str, metavar: str | None = None, *, default: str | bool = False) -> Any:
    panel = "Language models: cost and limits"
    return typer.Option(flag, help=text, metavar=metavar, show_default=default, rich_help_panel=panel)


_BASE_URL = _option("--llm-base-url", "Server to ask instead of the provider's own.", "URL")
_TEMPERATURE = _option("--temperature", "From 0 to 2; none sends none.", "NUMBER", default="0")
_MAX_TOKENS = _option("--max-tokens", "Of a reply, with what a model thinks to itself.", "N", default="500")
_SEED = _option("--llm-seed", "Sent to providers that take one.", "N")
_EFFORT = _option("--reasoning-effort", ", ".join(values.EFFORTS) + ".", "EFFORT")
_SCHEMA = _option(
    "--response-schema/--no-response-schema",
    "Send the reply's schema as a parameter too; the prompt holds it either way.",
)
_VERSION = _option("--anthropic-version", "Header of Anthropic's API.", "DATE", default="2023-06-01")
_TIMEOUT = _limit("--timeout", "Until an attempt is given up.", "SECONDS", default="120")
_RETRIES = _limit("--max-retries", "After a failure that may pass.", "N", default="5")
_CONNECTIONS = _limit("--max-connections", "Calls to a model at the same time.", "N", default="10")
_PRICE = _limit(
    "--price", "US dollars for a million tokens in, and out; or MODEL=IN,OUT for each model.", "IN,OUT"
)
_MAX_COST = _limit("--max-cost", "Never spend more on it, resumed or not; needs --price.", "USD")
_ON_BUDGET = _limit(
    "--on-budget",
    "At --max-cost: stop, to be resumed; or close, where what was not asked is missing.",
    "stop|close",
    default="stop",
)
_DRY_RUN = _limit("--dry-run", "Say what would be asked and what it may cost; ask and write nothing.")


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
        from tellapart.llm.models import LanguageModel
        from tellapart.llm.replay import replayed_models

        parameters = self.parameters([name for name in names if not values.is_replay(name)])
        models: list[LanguageModel] = []
        for name in dict.fromkeys(names):
            if values.is_replay(name):
                models += replayed_models(name)
            else:
                models.append(LanguageModel(values.model(name), **parameters))
        return models

    def parameters(self, names: Sequence[str]) -> dict[str, Any]:
        """Arguments of ``LanguageModel`` that were given; ``names`` are those that are not replayed.

        Raises:
            UsageError: An option cannot work.
        """
        chosen: dict[str, Any] = {
            "base_url": _read(self.llm_base_url, values.address, names),
            "temperature": _read(self.temperature, values.temperature),
            "max_tokens": values.whole("--max-tokens", self.max_tokens, least=1),
            "seed": values.whole("--llm-seed", self.llm_seed, least=0),
            "reasoning_effort": _read(self.reasoning_effort, values.effort),
            "response_schema": self.response_schema,
            "anthropic_version": _read(self.anthropic_version, values.version, names),
            "attempt_timeout_s": values.whole("--timeout", self.timeout, least=1),
            "max_retries": values.whole("--max-retries", self.max_retries, least=0),
        }
        given = {name: value for name, value in chosen.items() if value is not None}
        if self.temperature == values.NO_TEMPERATURE:
            given["temperature"] = None
        return given

    def limits(self, names: Sequence[str]) -> Limits:
        """Read what asking these models may take.

        Raises:
            UsageError: An option cannot work, or lacks another one.
        """
        from tellapart.llm.budget import Limits

        chosen: dict[str, Any] = {
            "max_connections": values.whole("--max-connections", self.max_connections, least=1),
            "max_cost": _read(self.max_cost, values.cost),
            "price": _read(self.price or None, values.prices, list(dict.fromkeys(names))),
            "on_budget": _read(self.on_budget, values.on_budget),
        }
        if self.max_cost is not None and not self.price:
            raise UsageError(
                "--max-cost needs to know what tokens cost",
                next_step="Give --price IN,OUT, US dollars for a million tokens in, and out",
            )
        if self.on_budget is not None and self.max_cost is None:
            raise UsageError("--on-budget has no use without --max-cost", next_step="Give --max-cost USD too")
        return Limits(**{name: value for name, value in chosen.items() if value is not None})

    def check_used(self, names: Sequence[str], flag: str, also: Mapping[str, object] | None = None) -> None:
        """Refuse options that nothing would come of, since no language model is asked, or only recordings.

        Args:
            names: The language models.
            flag: What names one.
            also: Options of the command that only language models have a use for; None where not given.

        Raises:
            UsageError: There are such options, and no language models that would be asked.
        """
        given = [*_flags(self._given()), *(name for name, value in (also or {}).items() if value is not None)]
        if given and not names:
            raise UsageError(
                f"no language model is asked, so there is no use for {', '.join(given)}",
                next_step=f"Name one with {flag}",
            )
        # A price says what the recorded tokens cost, and a command's own options what is looked up.
        of_use = {"--price", "--dry-run", *(also or {})} - {"--reuse"}
        unused = [name for name in given if name not in of_use]
        if unused and all(map(values.is_replay, names)):
            raise UsageError(
                "only recordings are asked, as they were asked then, so there is no use for "
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
