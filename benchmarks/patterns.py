"""Whether a regular expression of the package takes a time that grows with the square of its text.

Texts are repeated pieces of a pattern's own letters, which is what makes such a pattern slow: its first signs
in a run, from each of which the run is tried to its end. What is only ever matched from where a text begins
is timed like that.
"""

import ast
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import tellapart

ROOT = Path(tellapart.__file__).parent
FROM_THE_BEGINNING = {"match", "fullmatch"}
METHODS = FROM_THE_BEGINNING | {"search", "sub", "subn", "finditer", "findall", "split"}
CHARACTERS = 3_000
SUSPICIOUS_S = 0.0008
"""For so many characters; one pass over them takes a tenth, the square of them four times as much."""
LONGER = (2_000, 8_000)
MOST_GROWTH = 9
"""Of the time from the one to the other: 4 where it is in proportion, 16 where it grows with the square."""
FAST_S = 0.03
"""For the longer one, of whatever growth: clocks of CPU time may tick every few milliseconds."""
LIMIT_S = 0.6
HOPELESS_S = 0.02
SLOW_TO_IMPORT = {"tellapart.bundles.evaluator"}
"""Imports sentence-transformers, and has no pattern."""
MOST_CONFIRMED = 2


class TooSlow(Exception):
    """It took longer than the limit."""


def main() -> int:
    """Print the patterns that are slow, after a look whether known ones are told apart."""
    for known in (r"\w+=", r"<!--.*?-->", rb"(?:[ab]|a)*c"):
        if not any(growth("", re.compile(known)) for _ in range(4)):
            sys.exit(f"{known!r} was not noticed")
    for known in (r"(?<!\w)\w+=", r"\w{1,50}=", r"<!--[^-]*+", r"a\s*+b?\s*+c", r"\d\d?"):
        if growth("", re.compile(known)):
            sys.exit(f"{known!r} was taken for slow")
    every = list(patterns())
    slow = [grown for name, pattern in every if (grown := growth(name, pattern))]
    print("\n".join([*slow, f"{len(slow)} of {len(every)} regular expressions are slow"]))
    return int(bool(slow))


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield each pattern that a module holds, also inside its tables, and each that a function has."""
    seen = set()
    for info in pkgutil.walk_packages(tellapart.__path__, "tellapart."):
        if info.name.endswith("__main__") or info.name in SLOW_TO_IMPORT:
            continue
        try:
            module = importlib.import_module(info.name)
        except ModuleNotFoundError as error:
            if str(error.name).startswith("tellapart"):
                raise
            # For a program that is not here.
            continue
        for name, value in vars(module).items():
            for pattern in held(value):
                if (pattern.pattern, pattern.flags) not in seen:
                    seen.add((pattern.pattern, pattern.flags))
                    yield f"{info.name}:{name}", pattern
        for call in calls_of_re(Path(str(module.__file__))):
            pattern = re.compile(call.args[0].value)  # type: ignore[attr-defined]
            if (pattern.pattern, pattern.flags) not in seen:
                yield f"{info.name}:{call.lineno}:{call.func.attr}", pattern  # type: ignore[attr-defined]


def held(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 3 and isinstance(value, dict):
        yield from (pattern for one in value.values() for pattern in held(one, depth + 1))
    elif depth < 3 and isinstance(value, tuple | list | frozenset):
        yield from (pattern for one in value for pattern in held(one, depth + 1))
    elif depth < 3 and type(value).__module__.startswith("tellapart.") and hasattr(value, "__dict__"):
        yield from held(vars(value), depth + 1)


def calls_of_re(path: Path) -> Iterator[ast.Call]:
    if not re.search(rf"\bre\.(?:{'|'.join(METHODS)})\(", text_of_file(path)):
        return
    for node in ast.walk(ast.parse(text_of_file(path))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "re"
            and node.func.attr in METHODS
            and isinstance(node.args[0], ast.Constant)
        ):
            yield node


def growth(name: str, pattern: re.Pattern[Any]) -> str:
    """Say with what piece its time grows faster than the text; empty where it does not."""
    if not has_unbounded(pattern):
        return ""
    texts = [(lead, piece, end) for piece in pieces(pattern) for lead, end in (("", ""), ("a", "\0"))]
    way = way_of_use(name)
    for text in slow(pattern, way, texts)[:MOST_CONFIRMED]:
        # What else runs on the machine can slow down one of the two.
        if all(grows(pattern, way, *text) for _ in range(2)):
            return f"{name}: {way} with {text[1]!r} again and again: {pattern.pattern!r}"
    return ""


def has_unbounded(pattern: re.Pattern[Any]) -> bool:
    """Whether anything may be repeated without end: else each place of a text is tried in bounded time."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return re.search(r"[*+]|,\}", source) is not None


def slow(pattern: re.Pattern[Any], way: str, texts: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """What takes suspiciously long, the longest first; of what is hopeless the first."""
    took = {}
    for text in texts:
        took[text] = seconds(pattern, way, text_of(*text, CHARACTERS))
        if took[text] > HOPELESS_S:
            break
    return sorted((text for text in texts if took.get(text, 0) > SUSPICIOUS_S), key=lambda text: -took[text])


def grows(pattern: re.Pattern[Any], way: str, lead: str, piece: str, end: str) -> bool:
    short, long = (text_of(lead, piece, end, characters) for characters in LONGER)
    took = seconds(pattern, way, long)
    if took < FAST_S:
        return False
    took_short = seconds(pattern, way, short)
    if took_short < LIMIT_S:
        took_short = (took_short + seconds(pattern, way, short) + seconds(pattern, way, short)) / 3
    return took_short >= LIMIT_S or took > MOST_GROWTH * took_short


def text_of(lead: str, piece: str, end: str, characters: int) -> str:
    return lead + piece * (characters // len(piece)) + end


def seconds(pattern: re.Pattern[Any], way: str, text: str) -> float:
    """CPU time of a pattern, at most the limit."""
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")

    is_running = True

    def stop(*_: object) -> None:
        # A signal may come in when all is over.
        if is_running:
            raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
        start = time.process_time()
        if way in FROM_THE_BEGINNING:
            getattr(pattern, way)(subject)
        else:
            for _ in pattern.finditer(subject):
                pass
        is_running = False
        return time.process_time() - start
    except TooSlow:
        return LIMIT_S
    finally:
        is_running = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def way_of_use(name: str) -> str:
    """``fullmatch`` or ``match`` where a pattern is used in no other way, else ``finditer``."""
    module, _, variable = name.partition(":")
    if ":" in variable:
        method = variable.rpartition(":")[2]
        return method if method in FROM_THE_BEGINNING else "finditer"
    if not variable:
        return "finditer"
    private = [Path(str(importlib.import_module(module).__file__))]
    texts = map(text_of_file, private if variable.startswith("_") else ROOT.rglob("*.py"))
    uses = re.compile(rf"(?<!\w){variable}\b(?! = )(?:\.(\w+))?")
    ways = {
        use
        for text in texts
        if variable in text
        for use in uses.findall(re.sub(r"^from .*", "", text, flags=re.MULTILINE))
    }
    return min(ways) if ways and ways <= FROM_THE_BEGINNING else "finditer"


@cache
def text_of_file(path: Path) -> str:
    return path.read_text("utf-8")


def pieces(pattern: re.Pattern[Any]) -> list[str]:
    """Single characters, those of a pattern's own literals first, and its longer literals."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    literals = re.findall(r"[^\\\[\](){}|?*+^$.]+", source)
    singles = dict.fromkeys("".join(literals)[:12] + "a 1_\n")
    return list(dict.fromkeys([*singles, *(text for text in literals if 1 < len(text) < 60)]))


if __name__ == "__main__":
    sys.exit(main())
