"""Settings that are options: of made-up experiments, of imported data sets, and of how cases are played."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from tellapart.cli.settings import Parsed
from tellapart.core.seed import MOST_SEED
from tellapart.errors import InputError, UsageError

SHORTEST_TOKENS, LONGEST_TOKENS = 500, 10_000_000

T = TypeVar("T")

_LENGTH = re.compile(r"(\d+(?:\.\d+)?)([KM]?)", re.I)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
_PERCENT = re.compile(r"(\d+(?:\.\d+)?|\.\d+)%?")


def setting(
    flag: str, text: str, metavar: str | None = None, default: str | bool = False, **more: Any
) -> Any:
    """An option with its help; ``default`` is what the help shows."""
    return typer.Option(flag, help=text, metavar=metavar, show_default=default, **more)


def lengths_of(text: str) -> tuple[int, ...]:
    """Read lengths such as ``2K,4K,1500``, where ``K`` is a thousand and ``M`` a million."""

    def tokens(part: str) -> int | None:
        match = _LENGTH.fullmatch(part)
        tokens = round(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
        return tokens if SHORTEST_TOKENS <= tokens <= LONGEST_TOKENS else None

    expected = f"tokens from {SHORTEST_TOKENS} to 10M"
    return _distinct("--lengths", text, tokens, expected, "2K,4K,8K,16K")


def depths_of(text: str) -> tuple[float, ...]:
    """Read depths such as ``0,25,50,75,100``, in percent."""

    def depth(part: str) -> float | None:
        match = _PERCENT.fullmatch(part)
        return float(match[1]) / 100 if match and float(match[1]) <= 100 else None

    expected = "percentages from 0 (the beginning) to 100 (the end)"
    return _distinct("--depths", text, depth, expected, "0,25,50,75,100")


def tasks_of(text: str) -> tuple[str, ...]:
    """Read names of tasks such as ``needles,variables``."""
    return _distinct("--tasks", text, str, "names of tasks", "needles,variables")


def _distinct(
    option: str, text: str, read: Callable[[str], T | None], expected: str, example: str
) -> tuple[T, ...]:
    """Read what commas separate, none of it twice."""
    values: list[T] = []
    for part in map(str.strip, text.split(",")):
        value = read(part)
        if value is None:
            next_step = f"Write them as in {option} {example}"
            raise UsageError(f"{option} has {part!r}, expected {expected}", next_step=next_step)
        if value in values:
            raise UsageError(f"{option} has {part!r} twice", next_step="Name each once")
        values.append(value)
    return tuple(values)


def wrong_keys_of(path: str) -> tuple[str, ...]:
    """Read ids, CASE or CASE/STEP, a line each; what follows a ``#`` is a comment."""
    from tellapart.files import read_text

    lines = (line.partition("#")[0].strip() for line in read_text(Path(path)).splitlines())
    ids = tuple(filter(None, lines))
    if not ids:
        raise InputError(
            "there is no id in this file", where=path, next_step="Write CASE or CASE/STEP on a line"
        )
    return ids


def name_of(tokens: int) -> str:
    """A length as people write it: 16,000 is ``16K``, 1,500 is ``1500``."""
    return f"{tokens // 1000}K" if tokens % 1000 == 0 else str(tokens)


def _written_lengths(lengths: tuple[int, ...]) -> str:
    return ",".join(map(name_of, lengths))


def _written_depths(depths: tuple[float, ...]) -> str:
    return ",".join(f"{100 * depth:g}" for depth in depths)


_LENGTHS, _DEPTHS = Parsed(lengths_of, _written_lengths), Parsed(depths_of, _written_depths)
_TASKS = (
    "What is asked for: needles, multi-key, multi-value, multi-query, variables, common-words, "
    "frequent-words, contradiction, event-order, distribution."
)
_SEED = "Draw the cases, instead of taking the first ones."
_HAYSTACK = "nolima: text files to hide facts in, or directories of them; repeat for several."
_WRONG = "Questions to leave out, as their answer key is known to be wrong: CASE or CASE/STEP, a line each."


@dataclass(frozen=True)
class Design:
    """What is made; each task has conversations of its own.

    Not many more names than 10 differ in one letter, so that there are at most as many distractors.
    """

    lengths: Annotated[
        tuple[int, ...],
        setting("--lengths", "Tokens of the context when a question is asked.", default=True),
        _LENGTHS,
    ] = (2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
    depths: Annotated[
        tuple[float, ...],
        setting("--depths", "Where facts stand, in percent from the beginning.", default=True),
        _DEPTHS,
    ] = (0.0, 0.25, 0.5, 0.75, 1.0)
    conversations: Annotated[
        int, setting("--conversations", "Conversations of each length.", default=True, min=1)
    ] = 8
    distractors: Annotated[
        int,
        setting("--distractors", "Similar facts (distractors) for each fact.", default=True, min=0, max=10),
    ] = 1
    traps: Annotated[
        int,
        setting(
            "--traps", "Questions per conversation about things never said.", default=True, min=0, max=1000
        ),
    ] = 1
    seed: Annotated[
        int, setting("--seed", "Seed for all random choices.", default=True, min=0, max=MOST_SEED)
    ] = 0
    tasks: Annotated[
        tuple[str, ...], setting("--tasks", _TASKS, default=True), Parsed(tasks_of, ",".join)
    ] = ("needles",)


@dataclass(frozen=True)
class ImportSettings:
    """How a data set is imported; haystack, lengths and depths are for forms that leave the context open.

    A seed draws the cases where there is a limit, and names and the order of options.
    """

    limit: Annotated[int | None, setting("--limit", "Most cases.", default="all", min=1)] = None
    seed: Annotated[int | None, setting("--seed", _SEED, min=0, max=MOST_SEED)] = None
    haystack: Annotated[tuple[Path, ...], setting("--haystack", _HAYSTACK, "PATH")] = ()
    lengths: Annotated[tuple[int, ...], setting("--lengths", "nolima: tokens of the context."), _LENGTHS] = ()
    depths: Annotated[
        tuple[float, ...], setting("--depths", "nolima: where facts stand, in percent."), _DEPTHS
    ] = ()
    wrong_keys: Annotated[
        tuple[str, ...], setting("--wrong-keys", _WRONG, "FILE"), Parsed(wrong_keys_of)
    ] = ()


@dataclass(frozen=True)
class Playing:
    """How cases are played: with repeats while the most tokens of one call are under ``target_tokens``.

    Forked probes are asked from a snapshot, so that nothing of them is in what later steps are sent.
    """

    target_tokens: Annotated[
        int | None,
        setting("--target-tokens", "Repeat the messages until a call has this many tokens.", min=1),
    ] = None
    probes_last: Annotated[
        bool,
        setting(
            "--probes-last/--no-probes-last",
            "Ask all probes after the repeats; or before them, as in the original experiment.",
            default=True,
        ),
    ] = True
    fork_probes: Annotated[
        bool, setting("--fork-probes", "Ask each probe from a snapshot: its answer is in nobody's context.")
    ] = False
