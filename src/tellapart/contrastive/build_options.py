"""What a benchmark is to be, and how it is written on a command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from tellapart.cli.settings import Parsed
from tellapart.contrastive.selection.levels import BUILT, Level, levels_named
from tellapart.core.seed import MOST_SEED, SEED
from tellapart.errors import UsageError, near_match


def _levels_of(text: str) -> tuple[Level, ...]:
    return levels_named(text.split(",") if text else None)


def _written_levels(levels: Sequence[Level]) -> str:
    return ",".join(level.name for level in levels)


def languages_of(text: str) -> tuple[str, ...]:
    """The names in a list with commas, ascending and each once; none for an empty text."""
    from tellapart.extraction.languages import all_languages

    options = {language.name for language in all_languages()}
    names = sorted({name.strip() for name in text.split(",")} - {""})
    for name in names:
        if name not in options:
            raise UsageError(f"there is no language {name!r}", next_step=near_match(name, options))
    return tuple(names)


@dataclass(frozen=True)
class BuildOptions:
    """What a benchmark is to be.

    Lists may be given as on the command line too: ``BuildOptions(levels="hard,adversarial")``.

    Attributes:
        languages: Which units may be targets or candidates; of all languages where it is empty.
        targets: How many units to ask about at every level; fewer when fewer have a summary.
        levels: Which levels, in ascending order of difficulty; see ``levels_named``.
        cross_language: Whether units in other languages are candidates too.
        mask_names: Whether each unit's name is blanked in its code and summaries; see ``mask_material``.
    """

    languages: Annotated[
        tuple[str, ...],
        typer.Option("--languages", help="Only these, such as python,go.", show_default=False),
        Parsed(languages_of, ",".join),
    ] = ()
    targets: Annotated[int, typer.Option("--targets", min=1, help="Units to ask about.")] = 300
    levels: Annotated[
        tuple[Level, ...],
        typer.Option(
            "--levels",
            help="Levels, separated by commas: LEVEL or LEVEL:COUNT; trivial to adversarial, ladder and "
            "pool by default, also original.",
            show_default=False,
        ),
        Parsed(_levels_of, _written_levels),
    ] = BUILT
    cross_language: Annotated[
        bool, typer.Option("--cross-language", help="Let other languages' units be distractors.")
    ] = False
    mask_names: Annotated[
        bool,
        typer.Option(
            "--mask-names/--no-mask-names", help="Blank each unit's own name in its code and summaries."
        ),
    ] = True
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed for choosing targets and distractors.")
    ] = SEED

    def __post_init__(self) -> None:
        """Read lists that are written as on the command line."""
        for name, read in {"languages": languages_of, "levels": _levels_of}.items():
            value = getattr(self, name)
            if isinstance(value, str):
                object.__setattr__(self, name, read(value))
