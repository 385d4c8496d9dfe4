"""Resolve tellapart beside what its users have installed, and report each package that it would downgrade.

Each environment is resolved as it is, and again with tellapart, one of its extras, and no version below those
that it has, for each Python that tellapart supports, from wheels for Linux, the newest that an index has.
Nothing is installed. An extra brings packages of others, which ask for versions of their own: what they do to
the environment without tellapart is shown, but is not held against it.

The exit code is 1 where tellapart itself downgrades a package or does not fit, else 0. Without a package
index nothing is checked, and the script says so.

Usage: python benchmarks/environments.py [--python VERSION]... [--extra NAME]... [--environment NAME]...
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Of each a late patch release: some packages exclude the first ones.
PATCH = 9
PLATFORM = "x86_64-manylinux_2_28"
AT_ONCE = 6

ENVIRONMENTS = {
    "sentence-transformers": ("sentence-transformers",),
    "torch before 2.13": ("sentence-transformers", "torch<2.13"),
    "litellm": ("litellm",),
    "ragas": ("ragas",),
    "openai before 3": ("openai<3",),
    "inspect-ai": ("inspect-ai",),
    "mteb": ("mteb",),
    "deepeval": ("deepeval",),
    "langchain-openai": ("langchain-openai",),
    "inspect-evals": ("inspect-evals",),
    "vllm": ("vllm",),
}

# By extra, the packages of others that it is for.
EXTRAS: dict[str, tuple[str, ...]] = {
    "core": (),
    "embed": ("bm25s", "numba", "scikit-learn"),
    "code": ("faiss-cpu", "scikit-learn", "tree-sitter"),
    "png": ("altair", "vl-convert-python"),
    "st": ("sentence-transformers", "torch"),
    "trec": ("ir_measures",),
    "mteb": ("mteb",),
    "llm": ("inspect-ai",),
    "anthropic": ("anthropic",),
    "openai": ("openai",),
    "claude-code": ("claude-agent-sdk",),
    "mcp": ("mcp",),
    "view": ("starlette", "uvicorn"),
    "excel": ("fastexcel",),
    "duckdb": ("duckdb",),
    "ray": ("ray",),
    "s3": ("s3fs",),
    "gcs": ("gcsfs",),
}


class NoIndexError(Exception):
    """No package index can be reached."""


@dataclass(frozen=True)
class Verdict:
    """What an extra does to an environment.

    Attributes:
        ours: What tellapart downgrades, or why it does not fit; empty where it leaves everything as it is.
        theirs: What the packages that the extra is for downgrade, with or without tellapart.
    """

    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "NO" if self.ours else "theirs" if self.theirs else "ok"


@cache
def resolve(
    requirements: tuple[str, ...], python: str, *, offline: bool = False
) -> Mapping[str, Version] | str:
    """Give the newest versions that fit together.

    Args:
        requirements: As pip takes them; a path is that of a project.
        python: Such as ``3.12``.
        offline: Take what earlier resolutions learned from the index, in a tenth of the time.

    Returns:
        By package its version; the resolver's words where there are no such versions.

    Raises:
        NoIndexError: The resolver gets no answer.
    """
    command = ["pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-build", "--no-config"]
    # Without an interpreter uv looks at each that it can find, every time.
    command += ["--python", sys.executable]
    target = ["--python-version", f"{python}.{PATCH}", "--python-platform", PLATFORM]
    done = subprocess.run(
        [sys.executable, "-m", "uv", *command, *target, *(["--offline"] if offline else []), "-"],
        input="\n".join(requirements),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not offline and "No solution" not in done.stderr:
        raise NoIndexError(done.stderr.strip())
    if done.returncode:
        return " ".join(done.stderr.split())
    return dict(pinned(done.stdout))


def pinned(lines: str) -> Iterator[tuple[str, Version]]:
    """Read the packages and versions of a resolver's output; a project by its path has no version there."""
    for line in lines.splitlines():
        requirement = Requirement(line)
        if requirement.specifier:
            (specifier,) = requirement.specifier
            yield requirement.name, Version(specifier.version)


def downgrades(before: Mapping[str, Version], after: Mapping[str, Version]) -> tuple[str, ...]:
    """List the packages whose versions fall, sorted; one that nobody needs any more does not fall."""
    fallen = (name for name, version in before.items() if after.get(name, version) < version)
    return tuple(f"{name} {before[name]} -> {after[name]}" for name in sorted(fallen))


def judge(
    alone: Mapping[str, Version],
    with_theirs: Mapping[str, Version] | str,
    with_ours: Mapping[str, Version] | str,
) -> Verdict:
    """Tell what tellapart does to an environment from what the packages that its extra is for do.

    Args:
        alone: The environment.
        with_theirs: The environment and the packages that the extra is for.
        with_ours: The environment and tellapart with the extra.
    """
    if isinstance(with_theirs, str):
        return Verdict(theirs=(with_theirs,))
    theirs = downgrades(alone, with_theirs)
    if isinstance(with_ours, str):
        return Verdict((with_ours,), theirs)
    return Verdict(downgrades({**alone, **with_theirs}, with_ours), theirs)


def check(environment: str, extra: str, python: str) -> Verdict | None:
    """Resolve one environment with one extra; None where the environment alone does not fit this Python."""
    base = ENVIRONMENTS[environment]
    alone = resolve(base, python)
    if isinstance(alone, str):
        return None
    ours = (*base, tellapart("" if extra == "core" else extra))
    if fits(ours, alone, python):
        return Verdict()
    with_theirs = resolve((*base, *EXTRAS[extra]), python)
    if not isinstance(with_theirs, str) and fits(ours, with_theirs, python):
        return Verdict(theirs=downgrades(alone, with_theirs))
    return judge(alone, with_theirs, resolve(ours, python))


def fits(requirements: tuple[str, ...], installed: Mapping[str, Version], python: str) -> bool:
    """Say whether the requirements can be met without a version below an installed one.

    Left free, a resolver may give up a version that it could have kept.
    """
    floors = tuple(f"{name}>={version.public}" for name, version in installed.items())
    answers = (resolve((*requirements, *floors), python, offline=offline) for offline in (True, False))
    return any(not isinstance(answer, str) for answer in answers)


def tellapart(extra: str) -> str:
    """Require this checkout with an extra; with an empty name of none, the core."""
    return f"tellapart{f'[{extra}]' if extra else ''} @ {ROOT.as_uri()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and what is behind each cell that is not ok."""
    parser = argparse.ArgumentParser(description="Resolve tellapart beside what its users have installed.")
    parser.add_argument("--python", action="append", choices=PYTHONS, help="one Python; default: all")
    parser.add_argument("--extra", action="append", choices=EXTRAS, help="one extra; default: all")
    parser.add_argument("--environment", action="append", choices=ENVIRONMENTS, help="default: all")
    chosen = parser.parse_args(arguments)
    extras = chosen.extra or list(EXTRAS)
    rows = [(e, p) for e in chosen.environment or ENVIRONMENTS for p in chosen.python or PYTHONS]
    cells = [(environment, extra, python) for environment, python in rows for extra in extras]
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            # Then resolving offline knows the newest of everything that tellapart or the environment needs.
            list(pool.map(lambda python: resolve((tellapart("all"),), python), {p for _, p in rows}))
            list(pool.map(lambda row: resolve(ENVIRONMENTS[row[0]], row[1]), rows))
            verdicts = dict(zip(cells, pool.map(lambda cell: check(*cell), cells), strict=True))
    except NoIndexError as error:
        print(f"skipped: no package index can be reached, so nothing was checked ({str(error)[:200]})")
        return 0
    print(f"{'environment':24}{'Python':8}" + "".join(f"{extra:12}" for extra in extras))
    for environment, python in rows:
        row = [verdicts[environment, extra, python] for extra in extras]
        if None in row:
            print(f"{environment:24}{python:8}does not fit this Python")
        else:
            print(f"{environment:24}{python:8}" + "".join(f"{verdict!s:12}" for verdict in row))
    reasons = [(cell, verdict) for cell, verdict in verdicts.items() if verdict and str(verdict) != "ok"]
    for (environment, extra, python), verdict in reasons:
        for whose, what in (("tellapart", verdict.ours), (", ".join(EXTRAS[extra]), verdict.theirs)):
            if what:
                print(f"{environment}, Python {python}, [{extra}]: {whose}: {'; '.join(what)}")
    wrong = sum(bool(verdict.ours) for _, verdict in reasons)
    print(f"{len(cells)} checked; tellapart downgrades a package or does not fit in {wrong}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
