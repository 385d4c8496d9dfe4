"""What a command line may come to whose files were damaged, and what it must not."""

import json
import math
import re
from dataclasses import dataclass

from damage.forms import Form
from damage.registry import REFUSED, SAME

OUR_FAULT = 70
REFUSAL = 2
RIGHT, ANSWERED, DECIDED, REFUSED_IT = "right answer", "another answer", "verdict", "refused"
"""What a case may come to."""
VARIES = {
    "timestamp",
    "startedAt",
    "finishedAt",
    "generatedAt",
    "generated_at",
    "duration_s",
    "finished_at",
}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_WARNING = re.compile(r"\.py:\d+: \w*Warning: (.*)")
_SHARE = re.compile(r"(?:^|_)(?:p_value|probability|share|pass_rate|accuracy|precision|recall|f1)$")


@dataclass(frozen=True)
class Outcome:
    """What became of a command line; a negative ``code`` is the signal that ended it.

    Attributes:
        trace: The traceback of an error that it did not expect, and ``place`` its last line in the program.
        hung: Whether it did not end.
    """

    code: int
    out: bytes
    err: bytes
    trace: str = ""
    place: str = ""
    cpu_s: float = 0.0
    hung: bool = False


@dataclass(frozen=True)
class Observed:
    """A case after its command line: what it wrote that is its answer too, and what it must not leave."""

    outcome: Outcome
    shown: dict[str, str]
    left: tuple[str, ...] = ()

    @property
    def answer(self) -> tuple[str, dict[str, str]]:
        return normalised(self.outcome.out), self.shown


@dataclass(frozen=True)
class Verdict:
    """``failed`` is what must not happen; failures with one ``detail`` are one and the same."""

    name: str
    failed: bool = False
    detail: str = ""


def normalised(data: bytes) -> str:
    """JSON without times, whatever the order of its keys; other text as it is."""
    text = data.decode(errors="surrogateescape")
    try:
        return json.dumps(_without_times(json.loads(text)), sort_keys=True)
    except (ValueError, RecursionError):
        return text


def _without_times(value):
    if isinstance(value, dict):
        return {name: _without_times(one) for name, one in value.items() if name not in VARIES}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


def judge(form: Form, effect: str, names: set[str], observed: Observed, control: Observed | None) -> Verdict:
    """Say what a case came to whose mutations must have this ``effect``.

    ``names`` are those of the files that were changed and of the command line: a refusal holds one of them.
    ``control`` is what was seen with the unharmed files; None if this is that.
    """
    outcome = observed.outcome
    err, out = outcome.err.decode(errors="replace"), outcome.out.decode(errors="replace")
    for failure in (_crash(outcome, err), _blemish(form, out, err, observed)):
        if failure:
            return failure
    if outcome.code == REFUSAL or outcome.code == 1 and not out and err.startswith("error: "):
        if names and not any(name in err for name in names):
            return Verdict("refused without the name of the file", True, _gist(err))
        return Verdict(REFUSED_IT)
    if outcome.code not in form.codes:
        return Verdict(f"exit code {outcome.code}", True, _gist(err))
    if failure := _wrong(out, form):
        return failure
    if control is None or observed.answer == control.answer:
        return Verdict(RIGHT)
    return _another(form, effect, outcome, control)


def _another(form, effect, outcome, control):
    """Of another answer than that to the unharmed files."""
    if form.salvages and form.salvages.encode() in outcome.out + outcome.err:
        return Verdict(ANSWERED if outcome.code == 0 else DECIDED)
    if effect == REFUSED:
        return Verdict("took what cannot be whole", True, form.name)
    if effect == SAME:
        return Verdict("another answer to the same", True, form.name)
    if form.kept and not outcome.code and not _warnings(outcome) - _warnings(control.outcome):
        return Verdict("a change went unnoticed", True, form.name)
    return Verdict(ANSWERED if outcome.code == 0 else DECIDED)


def _warnings(outcome):
    return {line for line in outcome.err.splitlines() if line.startswith((b"warning: ", b"note: "))}


def _crash(outcome, err):
    if outcome.hung:
        return Verdict("hung", True, _deepest(err))
    if outcome.code < 0:
        return Verdict(f"killed by signal {-outcome.code}", True, _deepest(err))
    if "MemoryError" in outcome.place or "not enough memory" in err:
        return Verdict("too much memory", True, outcome.place)
    if outcome.code == OUR_FAULT or outcome.trace or "Traceback" in err or "panicked at" in err:
        return Verdict("traceback", True, outcome.place or _gist(err))
    return None


def _blemish(form, out, err, observed):
    if observed.left:
        return Verdict("left behind", True, re.sub(r"[\w]{8}(?=\b|_|$)", "…", observed.left[0]))
    if found := _WARNING.search(err):
        return Verdict("a warning of Python", True, found[1][:80])
    shown = err if "--json" in form.run else err + out
    if found := _CONTROL.search(err + out) or _TURNS.search(shown):
        return Verdict("control character", True, f"{form.run.split()[:2]} {found[0]!r}")
    return None


def _wrong(out, form):
    """What no answer may hold; one that is JSON must be whole."""
    if "--json" not in form.run:
        return None
    try:
        value = json.loads(out, parse_constant=_no_number)
    except ValueError as error:
        return Verdict("no JSON", True, f"{form.name}: {error}"[:80])
    for name, number in _figures(value):
        if not math.isfinite(number):
            return Verdict("no JSON", True, f"{form.name}: {name} is {number}")
        if _SHARE.search(name) and not -1e-9 <= number <= 1 + 1e-9:
            return Verdict("an impossible share", True, f"{form.name}: {name}")
    return None


def _no_number(text):
    raise ValueError(f"{text} is no JSON")


def _figures(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _figures(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _figures(inner, name)
    elif isinstance(value, float):
        yield name, value


def _deepest(err):
    """The line of ours in which a process that was ended was, as `faulthandler` says it."""
    found = re.search(r'File ".*?/tellapart/(\S+)", line (\d+) in (.*)', err)
    return "{}:{} {}".format(*found.groups()) if found else ""


def _gist(err):
    """What a message says, without what differs between cases."""
    line = next((line for line in err.splitlines() if "error" in line.lower()), err[:200])
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+|/\S+", "…", line)[:110]
