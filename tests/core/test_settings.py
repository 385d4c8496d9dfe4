"""What a run records of its settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

from tellapart.core.settings import NO_EFFECT, Recorded, Unrecorded, settings_record


def _server(settings):
    return {"url": settings.server, "is_local": settings.server == "here"} if settings.server else {}


@dataclass(frozen=True)
class Draw:
    seed: int = 7
    pool: tuple[str, ...] = ("a", "b")


@dataclass(frozen=True)
class Sampling:
    draws: Sequence[Draw] = (Draw(),)
    share: float | None = None
    server: Annotated[str | None, Recorded(_server)] = None
    threads: Annotated[int, Unrecorded(NO_EFFECT)] = 4
    by: Annotated[str, "another note"] = "level"


@dataclass(frozen=True)
class Reading:
    file: Path = Path("scores")


def test_fields_are_recorded_in_their_order_as_json_has_them():
    record = settings_record(Sampling(draws=(Draw(), Draw(8)), share=0.5))
    assert list(record.items()) == [
        ("draws", [{"seed": 7, "pool": ["a", "b"]}, {"seed": 8, "pool": ["a", "b"]}]),
        ("share", 0.5),
        ("by", "level"),
    ]
    # A field may make several entries, or none.
    entries = settings_record(Sampling(server="here"))
    assert (entries["url"], entries["is_local"], "server" in entries) == ("here", True, False)


def test_a_field_that_no_record_can_hold_is_refused_until_its_type_says_how():
    with pytest.raises(TypeError, match=r"Reading\.file is .*: its type needs Recorded or Unrecorded"):
        settings_record(Reading())
