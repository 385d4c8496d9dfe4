"""The options of language models, which every command that asks one takes alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

import typer

from tellapart.cli.settings import Parsed, given_flags, override, replaced
from tellapart.errors import MissingExtra, UsageError, near_match
from tellapart.llm.budget import NO_LIMITS, Limits, Price
from tellapart.llm.models import LanguageModel, is_replay

if TYPE_CHECKING:
    from tellapart.llm.systems import System

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""What ``--reasoning-effort`` takes; which of them a model knows is its provider's business."""

NO_TEMPERATURE = "none"
"""What ``--temperature`` takes for sending none."""

QUESTION_PANEL, LIMITS_PANEL = "Language models: what is asked", "Language models: cost and limits"


def _number(typed: str) -> float:
    try:
        return float(typed)
    except ValueError:
        return math.nan


def _temperature(typed: str) -> float | str:
    number = _number(typed)
    if typed != NO_TEMPERATURE and not 0 <= number <= 2:
        raise UsageError(
            f"--temperature is {typed!r}, expected a number from 0 to 2, or {NO_TEMPERATURE!r} to send none"
        )
    return typed if typed == NO_TEMPERATURE else number


def _cost(typed: str) -> float:
    number = _number(typed)
    if not 0 < number < math.inf:
        raise UsageError(f"--max-cost is {typed!r}, expected US dollars, more than 0")
    return number


def _price(typed: str) -> tuple[str, Price]:
    """The model's name, empty for all models, and its price."""
    name, _, numbers = typed.rpartition("=")
    price: Any = tuple(_number(part) for part in numbers.split(","))
    if not 2 <= len(price) <= 4 or not all(0 <= part < math.inf for part in price):
        raise UsageError(
            f"--price is {typed!r}, expected US dollars for a million tokens in, and out, such as '3,15', or "
            "'PROVIDER/MODEL=3,15'; then of tokens in that come from a cache, and that go into one, such as "
            "'3,15,0.3,3.75'"
        )
    return name, price


def _address(typed: str) -> str:
    parts = urlsplit(typed)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"--llm-base-url is {typed!r}, expected an address such as 'http://localhost:8000/v1'"
        )
    return typed


_asked = partial(override, LanguageModel, rich_help_panel=QUESTION_PANEL)
_tried = partial(override, LanguageModel, rich_help_panel=LIMITS_PANEL)
_limit = partial(override, Limits, rich_help_panel=LIMITS_PANEL)

Temperature = Annotated[
    float | str | None,
    _asked("temperature", "--temperature", "From 0 to 2; 'none' sends no temperature.", metavar="NUMBER"),
    Parsed(_temperature),
]
MaxTokens = Annotated[
    int | None,
    _asked("max_tokens", "--max-tokens", "Most tokens of a reply, including its reasoning.", min=1),
]
_BASE_URL = _asked(
    "base_url", "--llm-base-url", "Server to ask instead of the provider's own.", metavar="URL"
)
_SEED = _asked("seed", "--llm-seed", "Sent to providers that take one.", min=0)
_EFFORT = _asked("reasoning_effort", "--reasoning-effort", "How much a model thinks, where it can.")
_TIMEOUT = _tried("attempt_timeout_s", "--timeout", "Time limit of one attempt, in seconds.", min=1)
_RETRIES = _tried("max_retries", "--max-retries", "Retries after a temporary failure.", min=0)
_FAILURES = _limit(
    "max_failures",
    "--max-failures",
    "Failures in a row that stop a run, which can be resumed; 0 for any number.",
    min=0,
)
_CONNECTIONS = _limit("max_connections", "--max-connections", "Calls to a model at the same time.", min=1)
_PRICE = _limit(
    "price",
    "--price",
    "US dollars for a million tokens in, out, and in from a cache and into one; or MODEL=IN,OUT… for each "
    "model.",
    metavar="IN,OUT[,CACHED[,WRITTEN]]",
)
_MAX_COST = _limit(
    "max_cost", "--max-cost", "Spending limit of a run, resumed or not; needs --price.", metavar="USD"
)
_DRY_RUN = typer.Option(
    "--dry-run", help="Estimate calls, tokens and cost; send and write nothing.", rich_help_panel=LIMITS_PANEL
)


@dataclass(frozen=True)
class LlmOptions:
    """What was typed about language models, fields of `LanguageModel` and of `Limits`; None where nothing."""

    base_url: Annotated[str | None, _BASE_URL, Parsed(_address)] = None
    temperature: Temperature = None
    max_tokens: MaxTokens = None
    seed: Annotated[int | None, _SEED] = None
    reasoning_effort: Annotated[Effort | None, _EFFORT] = None
    attempt_timeout_s: Annotated[int | None, _TIMEOUT] = None
    max_retries: Annotated[int | None, _RETRIES] = None
    max_failures: Annotated[int | None, _FAILURES] = None
    max_connections: Annotated[int | None, _CONNECTIONS] = None
    price: Annotated[tuple[tuple[str, Price], ...], _PRICE, Parsed(_price, is_each=True)] = ()
    max_cost: Annotated[float | None, _MAX_COST, Parsed(_cost)] = None
    dry_run: Annotated[bool, _DRY_RUN] = False

    def models(self, names: Sequence[str]) -> list[LanguageModel]:
        """Read how the models are to be asked, in the order in which they were named, each once."""
        models: list[LanguageModel] = []
        for model in self.models_and_systems(names):
            if not isinstance(model, LanguageModel):
                what = f"{model.name!r} is a system under test, which only plays conversations"
                raise UsageError(what, where=model.recording)
            models.append(model)
        return models

    def models_and_systems(self, names: Sequence[str]) -> list[LanguageModel | System]:
        """The same; recordings may be of systems under test as well."""
        from tellapart.llm.journal import replayed

        asked = [name for name in names if not is_replay(name)]
        for name in asked:
            if not all(name.partition("/")):
                raise UsageError(
                    f"the language model {name!r} is not named as PROVIDER/MODEL",
                    next_step="Write for instance 'anthropic/claude-sonnet-5-5' or 'openai/gpt-5-mini'",
                )
        parameters = self.parameters(asked)
        models: list[LanguageModel | System] = []
        for name in dict.fromkeys(names):
            models += replayed(name) if is_replay(name) else [LanguageModel(name, **parameters)]
        return models

    def parameters(self, names: Sequence[str]) -> dict[str, Any]:
        """Arguments of ``LanguageModel`` that were given; ``names`` are those that are not replayed."""
        providers = sorted({name.partition("/")[0] for name in names if not is_replay(name)})
        if self.base_url is not None and len(providers) > 1:
            raise UsageError(
                "--llm-base-url is one server, but the models are of several providers: "
                f"{', '.join(providers)}",
                next_step="Ask them in runs of their own, or set PROVIDER_BASE_URL in the environment for "
                "each",
            )
        accepted = {field.name for field in fields(LanguageModel)}
        given = {name: value for name, value in vars(self).items() if name in accepted and value is not None}
        return given | ({"temperature": None} if self.temperature == NO_TEMPERATURE else {})

    def limits(self, names: Sequence[str]) -> Limits:
        """Read what asking these models may take."""
        if self.max_cost is not None and not self.price:
            raise UsageError(
                "--max-cost needs to know what tokens cost",
                next_step="Give --price IN,OUT, US dollars for a million tokens in, and out",
            )
        limits: Limits = replaced(NO_LIMITS, self)
        return replace(limits, price=self._prices(names))

    def _prices(self, names: Sequence[str]) -> Price | dict[str, Price] | None:
        """The price of all these models, or of each; None where none was given."""
        by_model: dict[str, Price] = {}
        for name, price in self.price:
            if name in by_model:
                raise UsageError(f"--price is given twice for {name or 'all models'!r}")
            if name and name not in names:
                raise UsageError(
                    f"--price is given for {name!r}, which is not asked", next_step=near_match(name, names)
                )
            by_model[name] = price
        if "" in by_model:
            if len(by_model) > 1:
                raise UsageError("--price is given for all models and for some; expected one or the other")
            return by_model[""]
        missing = [name for name in names if name not in by_model and not is_replay(name)]
        if by_model and missing:
            raise UsageError(
                f"--price is missing for {missing[0]!r}", next_step=f"Give --price {missing[0]}=IN,OUT"
            )
        return by_model or None

    def check_used(self, names: Sequence[str], flag: str, also: Mapping[str, object] | None = None) -> None:
        """Refuse options that nothing would come of, since no language model is asked."""
        given = [*given_flags(self), *(name for name, value in (also or {}).items() if value is not None)]
        if given and not names:
            raise UsageError(
                f"no language model is asked, so this has no effect: {', '.join(given)}",
                next_step=f"Name one with {flag}",
            )


def check_named(models: Iterable[LanguageModel]) -> None:
    """See that providers and offline models are known, where there is an Inspect; a dry run needs no key."""
    from tellapart.llm.connection import check_provider

    with suppress(MissingExtra):
        for model in models:
            if model.recording is None:
                check_provider(model)
