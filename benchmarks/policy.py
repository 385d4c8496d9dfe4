"""Errors of a release policy over three benchmarks, over all of them together, on simulated releases.

Scores are 0 or 1. The candidate answers nine items in ten as the baseline does but for what it loses. Rows
are what is true of the candidate; columns are how often each gate ends in GO, NO-GO and INCONCLUSIVE. Beside
ours is NVIDIA's ``gate_runs`` of NeMo Evaluator on the same files, where it is installed.

Usage: python benchmarks/policy.py [RELEASES]
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tellapart.compare.policy import judge_policy, read_policy
from tellapart.core.randomness import generator

BENCHMARKS = {"knowledge": (1500, 0.7), "code": (1000, 0.5), "contest": (600, 0.15)}
"""Items, and the share that the baseline gets right."""

LIMIT = 0.03
POLICY = """\
version: 1
defaults: {tier: critical, metric: mean_reward, max_drop: 0.03}
benchmarks:
  knowledge: {}
  code: {tier: supporting}
  contest: {max_relative_drop: RELATIVE, relative_guard_below: 0.2}
"""

WORLDS: dict[str, tuple[float, float, float]] = {
    "nothing fell": (0.0, 0.0, 0.0),
    "code at its limit": (0.0, LIMIT, 0.0),
    "all at their limits": (LIMIT, LIMIT, LIMIT),
    "code fell by three limits": (0.0, 3 * LIMIT, 0.0),
}


def main(releases: int = 100) -> int:
    """Print how often each gate ends how."""
    has_nel = find_spec("nemo_evaluator") is not None
    names = ["tellapart", *([f"nemo-evaluator {version('nemo-evaluator')}"] if has_nel else [])]
    print(f"{releases} releases a row; GO / NO-GO / INCONCLUSIVE in %")
    print(f"{'':<44}" + "".join(f"{name:>28}" for name in names))
    with TemporaryDirectory() as folder:
        for relative in (None, LIMIT / 0.15):
            policy = Path(folder, "gate.yaml")
            guard = "null" if relative is None else f"{relative:g}"
            policy.write_text(POLICY.replace("RELATIVE", guard))
            for world, drops in list(WORLDS.items())[: 1 if relative else None]:
                ends: dict[str, Counter[str]] = {name: Counter() for name in names}
                for seed in range(releases):
                    sides = write(Path(folder), generator(seed, world), drops)
                    ends["tellapart"][judge_policy(*sides, read_policy(policy)).verdict] += 1
                    if has_nel:
                        ends[names[1]][theirs(*sides, policy)] += 1
                row = f"{world}{f', relative limit {relative:.0%}' if relative else ''}"
                print(
                    f"{row:<44}"
                    + "".join(
                        f"{' / '.join(f'{100 * of[end] / releases:.1f}' for end in ENDS):>28}"
                        for of in ends.values()
                    ),
                    flush=True,
                )
    return 0


ENDS = ("GO", "NO-GO", "INCONCLUSIVE")


def write(folder: Path, rng: np.random.Generator, drops: tuple[float, ...]) -> tuple[Path, Path]:
    """Write both sides of a release as bundles of NeMo Evaluator; give their directories."""
    for (name, (items, rate)), drop in zip(BENCHMARKS.items(), drops, strict=True):
        luck = rng.random((2, items))
        luck[1] = np.where(rng.random(items) < 0.9, luck[0], luck[1])
        chance = np.clip(rate + 0.15 * rng.standard_normal(items), 0.0, 1.0)
        ahead = rate - chance.mean()
        for side, lost, of_side in (("baseline", 0.0, luck[0]), ("candidate", drop, luck[1])):
            right = of_side < chance + ahead - lost
            place = folder / side / name
            place.mkdir(parents=True, exist_ok=True)
            (place / f"eval-{name}.json").write_text(json.dumps({"benchmark": {"name": name, "scores": {}}}))
            rows = ({"problem_idx": i, "repeat": 0, "reward": float(r)} for i, r in enumerate(right))
            (place / "results.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder / "baseline", folder / "candidate"


def theirs(baseline: Path, candidate: Path, policy: Path) -> str:
    """How NVIDIA's gate ends on the same files."""
    from nemo_evaluator.config.gate_policy import load_gate_policy
    from nemo_evaluator.engine.gate import gate_runs

    return str(gate_runs(baseline, candidate, load_gate_policy(policy)).verdict)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
