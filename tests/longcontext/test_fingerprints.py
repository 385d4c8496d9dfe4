from dataclasses import asdict, replace

from tellapart.core.fingerprint import sha256_of_json
from tellapart.longcontext.case import Case, CaseStep, Expected, Origin
from tellapart.longcontext.fingerprints import data_of, fingerprint_of
from tellapart.longcontext.transcript import PlayedStep

STEP = CaseStep("V1", "verification", "Who?", expected=Expected("V1", "Ann"))
CASE = Case("c", None, (STEP,))


def test_what_came_later_counts_only_where_it_says_something():
    """The keys of the first versions, for a case that uses nothing else."""
    assert list(data_of(CASE)) == ["name", "system", "steps", "note", "intended_tokens", "source"]
    assert list(data_of(CASE)["steps"][0]) == ["id", "type", "text", "failure_mode", "expected", "line"]
    assert "prefix" not in data_of(CASE)["steps"][0]["expected"]
    assert "given" not in data_of(PlayedStep("M1", "message", None, "a", "b"))
    assert fingerprint_of(CASE) == sha256_of_json(data_of(CASE)) != sha256_of_json(asdict(CASE))


def test_whatever_is_said_changes_the_fingerprint():
    others = [
        replace(CASE, origin=Origin("S", "MIT", "f", "0" * 64, "1")),
        *(replace(CASE, steps=(replace(STEP, **{name: "x"}),)) for name in ("reply", "session", "date")),
        *(
            replace(CASE, steps=(replace(STEP, expected=replace(STEP.expected, **more)),))
            for more in ({"accept": ("Bo",)}, {"prefix": "x"})
        ),
    ]
    assert len({fingerprint_of(case) for case in (CASE, *others)}) == 7
