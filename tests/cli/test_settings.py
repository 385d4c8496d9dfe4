"""Settings models whose fields are options of commands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from pydantic import TypeAdapter, ValidationError
from typer.testing import CliRunner

from tellapart.cli.settings import Parsed, Range, override, replaced, with_settings, words
from tellapart.errors import UsageError


def parse_range(text):
    low, comma, high = text.partition(",")
    if not comma:
        raise UsageError(f"--range is {text!r}, expected LOW,HIGH")
    return int(low), int(high)


@dataclass(frozen=True)
class Sampling:
    file: Annotated[Path, typer.Option("--file", help="Where it lies.")]
    range: Annotated[
        tuple[int, int] | None,
        typer.Option("--range", help="From and to."),
        Parsed(parse_range, lambda value: f"{value[0]},{value[1]}"),
    ] = None
    names: Annotated[tuple[str, ...], typer.Option("--name", help="Repeat for several.")] = ()
    is_fast: Annotated[bool, typer.Option("--fast/--slow", help="How.")] = True
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed.")] = 42
    unnamed: int = 7


def app_of(command):
    app = typer.Typer(rich_markup_mode=None)
    app.command()(command)
    return app


def received(*line):
    """What a command with these options gets, of its model and of its own."""
    values = []

    @with_settings
    def sample(
        item: Annotated[str, typer.Argument()],
        *,
        sampling: Sampling,
        as_json: Annotated[bool, typer.Option("--json")] = False,
    ) -> None:
        """Sample something."""
        values.extend([item, sampling, as_json])

    result = CliRunner().invoke(app_of(sample), line)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return values or result.output


def test_a_command_gets_its_model_with_what_was_typed_and_the_defaults():
    assert received("x", "--file", "f") == ["x", Sampling(Path("f")), False]
    typed = ["--file", "f", "--range", "1,9", "--name", "a", "--name", "b", "--slow", "--seed", "3"]
    full = Sampling(Path("f"), (1, 9), ("a", "b"), False, 3)
    assert received(*typed, "x", "--json") == ["x", full, True]


def test_settings_are_written_as_they_are_typed():
    full = Sampling(Path("f"), (1, 9), ("a", "b"), False, 3)
    typed = ["--file", "f", "--range", "1,9", "--name", "a", "--name", "b", "--slow", "--seed", "3"]
    assert words(full) == typed
    assert words(Sampling(Path("f"))) == ["--file", "f"]


def test_an_option_of_the_command_itself_is_read_from_text_too():
    values = []

    @with_settings
    def sample(
        *,
        own: Annotated[tuple[int, int] | None, typer.Option("--range"), Parsed(parse_range)] = None,
    ) -> None:
        """Sample something."""
        values.append(own)

    for line in ([], ["--range", "1,9"]):
        CliRunner().invoke(app_of(sample), line)
    assert values == [None, (1, 9)]


def test_help_has_the_options_in_the_order_of_the_model_and_their_defaults():
    out = received("--help")
    flags = ["--file <path>", "--range <str>", "--name <list[str]>", "--fast / --slow", "--seed", "--json"]
    places = [out.index(flag) for flag in flags]
    assert places == sorted(places)
    assert "[default: 42;" in out


def test_faults_are_answered_in_the_words_of_the_parser():
    with pytest.raises(UsageError, match="--range is '3', expected LOW,HIGH"):
        received("x", "--file", "f", "--range", "3")
    assert "--file" in received("x")
    assert "Invalid value for '--seed'" in received("x", "--file", "f", "--seed", "-1")


@dataclass(frozen=True)
class Configured:
    count: Annotated[int, Range(1, 9)] = 4
    share: Annotated[float, Range(0, 1)] = 0.5
    is_fast: bool = True
    place: Path | None = None


@dataclass(frozen=True)
class Typed:
    count: Annotated[int | None, override(Configured, "count", "--count", "How many.")] = None
    is_fast: Annotated[bool | None, override(Configured, "is_fast", "--fast/--slow", "How.")] = None
    other: Annotated[str | None, typer.Option("--other")] = None


def test_what_is_typed_goes_before_a_model_from_a_file_field_by_field():
    configured = Configured(3, 0.25, False, Path("p"))
    assert replaced(configured, Typed()) == configured
    assert replaced(configured, Typed(count=9, is_fast=True, other="x")) == Configured(
        9, 0.25, True, Path("p")
    )


def test_an_option_that_goes_before_a_field_has_its_default_and_its_range():
    count, is_fast = (Typed.__annotations__[name].__metadata__[0] for name in ("count", "is_fast"))
    assert (count.min, count.max, count.show_default) == (1, 9, "4")
    assert (is_fast.min, is_fast.show_default) == (None, "fast")


def test_pydantic_reads_the_same_model_with_the_same_range():
    adapter = TypeAdapter(Configured)
    assert adapter.validate_json('{"count": 9}', strict=True) == Configured(9)
    with pytest.raises(ValidationError, match="less than or equal to 9"):
        adapter.validate_json('{"count": 10}', strict=True)
