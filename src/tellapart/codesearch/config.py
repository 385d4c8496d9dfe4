"""``config.json``: the documented keys, what pipelines write beside them, and ours."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from tellapart.cli.settings import Range
from tellapart.codesearch.kinds import EXPLORERS, parse_explorer, parse_system
from tellapart.core.seed import MOST_SEED, SEED
from tellapart.errors import InputError, UsageError, close_match

NO_JUDGE = "none"  # The judge that leaves everything unjudged

Share = Annotated[float, Range(0, 1)]
Count = Annotated[int, Range(0)]
OneOrMore = Annotated[int, Range(1)]

OFFLINE = ("names", "docstrings")
"""The default explorers, which need no network: two methods, and neither is that of the default system."""

MOST_FILES = 20  # What a search of ours gives for one issue where nobody says


@dataclass(frozen=True)
class ModelsConfig:
    """``models``, as documented; see `Config.explorer_names` for what a bare name means."""

    exploration_opus: str | None = None
    exploration_sonnet: str | None = None
    judge: str | None = None


@dataclass(frozen=True)
class SearchConfig:
    """``search``: the system under test."""

    system: str | None = None
    command: str | None = None
    top_k: OneOrMore | None = None
    timeout_s: Annotated[float, Range(1)] | None = None
    pass_env: tuple[str, ...] = ()


@dataclass(frozen=True)
class Convergence:
    """``loop.convergence``: precision and recall that stay within ``change`` over ``iterations`` steps."""

    change: Share = 0.02
    iterations: OneOrMore = 2


@dataclass(frozen=True)
class LoopConfig:
    """``loop``: when to go on."""

    min_iterations: OneOrMore = 2
    max_iterations: OneOrMore = 5
    precision_threshold: Share = 0.8
    recall_threshold: Share = 0.7
    convergence: Convergence = Convergence()
    regression: Share = 0.10
    improve: str | None = None
    pass_env: tuple[str, ...] = ()


@dataclass(frozen=True)
class Config:
    """What a pipeline is configured with."""

    repos_path: Path | None = None
    approved_repos: tuple[str, ...] = ()
    calibration_iterations: Count = 2
    calibration_overlap_threshold: Share = 0.9
    models: ModelsConfig = ModelsConfig()
    search: SearchConfig = SearchConfig()
    loop: LoopConfig = LoopConfig()
    state: Path | None = None
    retest: Count = 0
    concurrency: OneOrMore = 4
    max_retries: Count | None = None
    assess: bool = True
    turns: OneOrMore | None = None
    explore_timeout_s: Annotated[float, Range(1)] | None = None
    unranked: bool = False
    seed: Annotated[int, Range(0, MOST_SEED)] = SEED

    @property
    def explorer_names(self) -> tuple[str, str]:
        """Run A's and run B's explorer.

        Of ``models`` a bare name is explored with by Claude Code, as documented; a name with a provider is
        asked as an agent; the name of an explorer is taken as it is. What is not named is explored offline.
        """
        run_a, run_b = (
            _explorer(model) if model else offline
            for model, offline in zip(
                (self.models.exploration_opus, self.models.exploration_sonnet), OFFLINE, strict=True
            )
        )
        return run_a, run_b

    @property
    def judge_name(self) -> str:
        """The judge as ``PROVIDER/MODEL``, a bare name being Anthropic's; ``none`` where there is none."""
        name = self.models.judge or NO_JUDGE
        as_it_is = name == NO_JUDGE or "/" in name or name.startswith("replay:")
        return name if as_it_is else f"anthropic/{name}"


def _explorer(model: str) -> str:
    if model.partition(":")[0] in EXPLORERS:
        return model
    return f"agent:{model}" if "/" in model else f"claude-code:{model}"


_VARIABLE = re.compile(r"\$\{([^}]*+)\}")


def read_config(path: Path, environment: Mapping[str, str] | None = None) -> tuple[Config, tuple[str, ...]]:
    """Read a configuration."""
    from tellapart.files import check_record, read_object

    data = read_object(path, "the configuration")
    variables = os.environ if environment is None else environment
    data = {key: _expanded(value, key, path, variables) for key, value in data.items()}
    warnings = [f"{path}: {warning}" for warning in _without_unknown(data, Config)]
    config = check_record(data, Config, path, strict=True)
    _check(config, path)
    places = replace(config, repos_path=_beside(path, config.repos_path), state=_beside(path, config.state))
    return places, tuple(warnings)


def _beside(file: Path, path: Path | None) -> Path | None:
    return None if path is None else file.parent / path.expanduser()


def _expanded(value: Any, key: str, path: Path, variables: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _expanded(inner, f"{key}.{name}", path, variables) for name, inner in value.items()}
    if isinstance(value, list):
        return [_expanded(inner, f"{key}.{i}", path, variables) for i, inner in enumerate(value)]
    if not isinstance(value, str):
        return value

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        if name not in variables:
            raise InputError(
                f"{key!r} needs the environment variable {name!r}, which is not set",
                where=path,
                next_step="Set it",
            )
        return variables[name]

    return _VARIABLE.sub(value_of, value)


def _without_unknown(data: dict[str, Any], part: Any, above: str = "") -> Iterator[str]:
    """Drop unknown keys, and yield a sentence for each."""
    kinds = get_type_hints(part)
    for key in list(data):
        if key not in kinds:
            del data[key]
            close = close_match(key, kinds)
            meant = f". Did you mean {close!r}?" if close else ""
            yield f"the key {above + key!r} is not known and was left out{meant}"
        elif isinstance(data[key], dict) and is_dataclass(kinds.get(key)):
            yield from _without_unknown(data[key], kinds[key], f"{above}{key}.")


def _check(config: Config, path: Path) -> None:
    loop = config.loop
    if loop.min_iterations > loop.max_iterations:
        raise InputError(
            f"'loop.min_iterations' is {loop.min_iterations}, expected at most 'loop.max_iterations', "
            f"which is {loop.max_iterations}",
            where=path,
        )
    if config.search.system and config.search.command:
        raise InputError("both 'search.system' and 'search.command' are there, expected one", where=path)
    run_a, run_b = config.explorer_names
    try:
        key = "models.exploration_opus"
        parse_explorer(run_a)
        key = "models.exploration_sonnet"
        parse_explorer(run_b)
        key = "search.system"
        parse_system(config.search.system or "lexical")
    except UsageError as error:
        raise InputError(f"of {key!r}: {error.what}", where=path, next_step=error.next_step) from None
