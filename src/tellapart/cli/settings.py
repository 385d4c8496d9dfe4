"""Settings of commands: frozen dataclasses whose fields are options.

A command takes a settings model as one parameter; `with_settings` makes an option of each of its fields, and
hands over the model. So an option stands once, for every command, for Python and for the record::

    @dataclass(frozen=True)
    class Sampling:
        seed: Annotated[int, typer.Option("--seed", help="Seed for resampling.")] = 42


    @with_settings
    def audit(scores: Scores, *, sampling: Sampling) -> None: ...

They are dataclasses, since to import pydantic takes as long as half of ``tellapart --help``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache, wraps
from typing import Annotated, Any, get_origin

import typer
from typer.models import OptionInfo

from tellapart.core.settings import annotated, field_types


@dataclass(frozen=True)
class Parsed:
    """In the type of a field: its option is typed as text, and ``parse``, a named function, gives the value.

    ``write`` gives the text again. Where the option may be given several times, ``is_each`` is an entry.
    """

    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str
    is_each: bool = False


@dataclass(frozen=True)
class Range:
    """In the type of a field: the ends of its range, for its option and where pydantic reads the model."""

    least: float | None = None
    most: float | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """As pydantic asks for it."""
        ends = {"ge": self.least, "le": self.most}
        return handler(source) | {name: end for name, end in ends.items() if end is not None}


def override(model: Any, name: str, flag: str, text: str, **more: Any) -> Any:
    """An option that goes before a field of a model, and is None where it was not given."""
    ends = next((note for note in field_types(model)[name] if isinstance(note, Range)), Range())
    default = getattr(model, name)
    shown: str | bool = False
    if default is True:
        shown = flag.split("/")[0].removeprefix("--")
    elif default is not False and default is not None:
        shown = f"{default:g}" if isinstance(default, float) else str(default)
    return typer.Option(
        flag, help=text, **{"min": ends.least, "max": ends.most, "show_default": shown} | more
    )


def replaced(base: Any, settings: Any) -> Any:
    """A copy of ``base`` with what was given of the fields of ``settings`` that have the same names."""
    names = {field.name for field in fields(base)}
    given = {name: value for name, value in vars(settings).items() if value is not None and name in names}
    return replace(base, **given)


@dataclass(frozen=True)
class _Setting:
    """A field of a model that is an option, or a parameter of a command that is read from text."""

    kind: Any
    default: Any
    option: OptionInfo
    parsed: Parsed | None

    @property
    def is_repeated(self) -> bool:
        """Whether the option may be given several times, so that the value is a tuple of any length."""
        is_tuple = get_origin(self.kind) is tuple and self.kind.__args__[1:] == (...,)
        return is_tuple and (self.parsed is None or self.parsed.is_each)

    def parameter(self, name: str) -> inspect.Parameter:
        """As Typer takes it, called ``name``."""
        kind, default, option = self.kind, self.default, self.option
        if self.parsed:
            kind = list[str] if self.is_repeated else str
            default = default if default in (None, (), MISSING) else self.write(default)
        elif self.is_repeated:
            kind = list[self.kind.__args__[0]]  # type: ignore[name-defined]
        if isinstance(option.show_default, str) and default is not None:
            # The model's own default, in place of that of the field that the option goes before.
            option, default = copy(option), None
            option.show_default = self.write(self.default)
        if default is None or default == ():
            kind, default = kind | None, None
        return inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is MISSING else default,
            annotation=Annotated[kind, option],
        )

    def value(self, typed: Any) -> Any:
        """The field's value; that of an option which was not given is its default."""
        if typed is None:
            return self.default
        if self.parsed is None:
            return tuple(typed) if self.is_repeated else typed
        return tuple(map(self.parsed.parse, typed)) if self.is_repeated else self.parsed.parse(typed)

    def write(self, value: Any) -> str:
        """A value as a text that is read as the same value."""
        return self.parsed.write(value) if self.parsed else str(value)

    def words(self, value: Any) -> list[str]:
        """The option as it is typed for a value."""
        flags = str(self.option.default).split("/")
        if isinstance(value, bool):
            return [flags[not value]]
        values = value if self.is_repeated else [value]
        return [word for each in values for word in (flags[0], self.write(each))]


def with_settings(command: Callable[..., None]) -> Callable[..., Any]:
    """Give a command the options of the settings models among its parameters, in their places."""
    signature = inspect.signature(command, eval_str=True)
    models: dict[str, dict[str, _Setting]] = {}
    parsed: dict[str, _Setting] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if is_dataclass(parameter.annotation):
            model: Any = parameter.annotation
            models[name] = _settings(model)
            parameters += [
                setting.parameter(f"{name}_{field_name}") for field_name, setting in models[name].items()
            ]
            continue
        kind, *notes = annotated(parameter.annotation)
        setting = _setting(kind, notes, parameter.default)
        if setting and setting.parsed:
            parsed[name] = setting
            parameters.append(setting.parameter(name))
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def with_models(**typed: Any) -> None:
        for name, settings in models.items():
            of_model = {field_name: typed.pop(f"{name}_{field_name}") for field_name in settings}
            typed[name] = from_typed(signature.parameters[name].annotation, of_model)
        for name, setting in parsed.items():
            typed[name] = setting.value(typed[name])
        command(**typed)

    # All is in the signature; as copied from the command, Typer would evaluate them once more.
    with_models.__annotations__ = {}
    with_models.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return with_models


def from_typed(model: Any, typed: Mapping[str, Any]) -> Any:
    """Make settings of what was typed, by field as Typer gives it; defaults where nothing or None was."""
    settings = _settings(model)
    return model(**{name: settings[name].value(value) for name, value in typed.items()})


def given_flags(settings: Any) -> list[str]:
    """The flags of the options that were given, in their order."""
    return [words[0] for words in _given(settings)]


def words(settings: Any) -> list[str]:
    """Write settings as the words of a command line that says the same; defaults are left out."""
    return [word for words in _given(settings) for word in words]


def _given(settings: Any) -> list[list[str]]:
    """Each option whose value is not the default, as it is typed."""
    model: Any = type(settings)
    values = ((setting, getattr(settings, name)) for name, setting in _settings(model).items())
    return [setting.words(value) for setting, value in values if value != setting.default]


@cache
def _settings(model: Any) -> dict[str, _Setting]:
    """The fields of a model that are options, in their order."""
    types = field_types(model)
    settings = {
        field.name: _setting(types[field.name][0], types[field.name][1:], field.default)
        for field in fields(model)
    }
    return {name: setting for name, setting in settings.items() if setting is not None}


def _setting(kind: Any, notes: Sequence[Any], default: Any) -> _Setting | None:
    """What is a setting by the notes with its type; None for what is no option."""
    option = next((note for note in notes if isinstance(note, OptionInfo)), None)
    parsed = next((note for note in notes if isinstance(note, Parsed)), None)
    return None if option is None else _Setting(kind, default, option, parsed)
