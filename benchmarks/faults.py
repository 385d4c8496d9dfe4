"""Damaged files: random cases of every form that a command reads, counted by what came of them.

``make faults`` runs 20,000 cases; ``make faults CASES=500 SEED=7`` others. One case alone, whose files stay:
``python benchmarks/faults.py --case FORM:NUMBER``. ``--source`` runs the source of another version.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
# In place of this directory, whose modules have names of the tests' folders.
sys.path[:1] = [str(ROOT / "benchmarks/faults_kit"), str(ROOT / "tests")]

from damage.cases import Bench, Case, Result, Tally, drawn  # noqa: E402
from damage.forms import FORMS  # noqa: E402
from damage.material import prepare  # noqa: E402
from damage.oracle import REFUSAL  # noqa: E402
from damage.planted import SEEN_AS  # noqa: E402
from damage.worker import Workers  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--forms", default="", metavar="REGEX", help="only forms whose names it matches")
    parser.add_argument(
        "--case", default="", metavar="FORM:NUMBER", help="only this case; its files are kept"
    )
    parser.add_argument("--planted", action="store_true", help="first see that planted bugs are seen")
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="source tree to run")
    parser.add_argument(
        "--keep", type=Path, default=ROOT / "build/faults", help="where files of failures are kept"
    )
    chosen = parser.parse_args()
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="faults-", dir=memory) as root:
        workers = Workers(chosen.source.resolve(), 1 if chosen.case else chosen.workers, Path(root))
        bench = Bench(Path(root), workers)
        try:
            prepare(bench.material, workers.run)
            code = _run_one(bench, chosen) if chosen.case else _run_all(bench, chosen)
        finally:
            workers.close()
    sys.exit(code)


def _run_one(bench: Bench, chosen: argparse.Namespace) -> int:
    name, _, number = chosen.case.rpartition(":")
    result = _kept(bench, Case(name, int(number), chosen.seed), chosen.keep)
    print(result.outcome.err.decode(errors="replace"))
    print(result.outcome.trace)
    return int(result.verdict.failed)


def _kept(bench: Bench, case: Case, keep: Path) -> Result:
    directory = keep / re.sub(r"\W+", "-", str(case))
    number = 1
    while directory.exists():
        number += 1
        directory = directory.with_name(f"{directory.name.partition('.')[0]}.{number}")
    result = bench.result(case, directory)
    print(f"{case}: {result.verdict.name} {result.verdict.detail}".rstrip())
    print(f"  {'; '.join(result.changes)}")
    print(f"  cd {shlex.quote(str(directory))} && tellapart {FORMS[case.form].run}")
    return result


def _run_all(bench: Bench, chosen: argparse.Namespace) -> int:
    forms = [form for form in FORMS.values() if re.search(chosen.forms, form.name)]
    blind = _unseen(bench) if chosen.planted else 0
    for form, verdict, observed in bench.all_controls(forms):
        if verdict.failed or observed.outcome.code == REFUSAL:
            blind += 1
            print(f"unharmed {form.name}: {verdict.name} {verdict.detail}")
            print(observed.outcome.err.decode()[:600], observed.outcome.trace)
    tally = Tally()
    started = time.monotonic()
    cases = drawn(chosen.cases, chosen.seed, forms)
    for result in _watched(bench.run(cases), len(cases), started):
        tally.add(result)
    wall_s = time.monotonic() - started
    _print_counts(tally)
    failed = sum(map(len, tally.failures.values()))
    for (name, detail), results in sorted(tally.failures.items(), key=lambda one: -len(one[1])):
        least = min(results, key=lambda result: result.size)
        others = Counter(result.case.form for result in results)
        forms_of_it = ", ".join(f"{count} {form}" for form, count in others.most_common(6))
        print(f"\n{name}: {detail}\n  {len(results)} cases: {forms_of_it}")
        again = _kept(bench, least.case, chosen.keep)
        told = again.outcome.trace or again.outcome.err.decode(errors="replace")
        print("  | " + "\n  | ".join(told[-2000:].rstrip().splitlines()[-12:]))
        if again.verdict != least.verdict:
            print(f"  alone it came to: {again.verdict.name} {again.verdict.detail}")
    speed = f"{len(cases) / wall_s:.1f} a second with {chosen.workers} workers, {tally.cpu_s:,.0f} s of CPU"
    print(f"\nseed {chosen.seed}: {len(cases):,} cases of {len(forms)} forms in {wall_s:,.0f} s ({speed})")
    print(f"{failed:,} failures at {len(tally.failures)} places")
    print(f"{blind} forms that do not give their answer to unharmed files, or planted bugs that went unseen")
    return int(bool(failed or blind))


def _unseen(bench: Bench) -> int:
    """How many planted bugs the oracle does not see in 40 cases."""
    unseen = 0
    for plant, (form, name) in SEEN_AS.items():
        results = (bench.result(Case(form, number, 1), plant=plant) for number in range(40))
        if not any(result.verdict.name == name for result in results):
            unseen += 1
            print(f"the planted bug {plant!r} was not seen as {name!r}")
    return unseen


def _watched(results: Iterator[Result], cases: int, started: float) -> Iterator[Result]:
    for at, result in enumerate(results, 1):
        if at % 500 == 0:
            print(f"{at:,} of {cases:,} in {time.monotonic() - started:,.0f} s", file=sys.stderr, flush=True)
        yield result


def _print_counts(tally: Tally) -> None:
    names = [name for name, _ in Counter({n: c for (_, n), c in tally.counts.items()}).most_common()]
    totals = {name: sum(n for (_, one), n in tally.counts.items() if one == name) for name in names}
    for form in dict.fromkeys(form for form, _ in tally.counts):
        parts = [f"{tally.counts[form, name]} {name}" for name in names if tally.counts[form, name]]
        print(f"{form:28} {', '.join(parts)}")
    print(f"{'all':28} {', '.join(f'{n:,} {name}' for name, n in totals.items())}")


if __name__ == "__main__":
    main()
