"""The real promptfoo: its pass counts against ours, its tests' metadata as strata, and the gate inside it.

Two providers answer 120 tests offline; one of them fails to answer some. promptfoo writes the results, and
its own counts of passed, failed and unanswered tests must be those of the score table that `audit` reads.
Then `python -m tellapart.integrations.promptfoo` copies the gate, and `promptfoo eval` runs it: for a
candidate that is worse (must fail), for one that is better (must pass), and for a file that is not there
(must be an error).

Usage: python benchmarks/interop_promptfoo.py [PROMPTFOO]

PROMPTFOO is the program; after `npm install promptfoo` it is node_modules/.bin/promptfoo.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tellapart.integrations.promptfoo import FILES, copy_files
from tellapart.readers import read_scores

TESTS = 120
SHARES = {"strong": 9, "weak": 4}
"""Of ten tests one after another, how many each provider gets right."""

_PROVIDER = """
module.exports = class {
  constructor(options) { this.options = options; }
  id() { return this.options.id; }
  async callApi(prompt, context) {
    const n = Number(context.vars.n), share = this.options.config.share;
    if (share < 5 && n % 10 === 9) return { error: "Connection reset by peer" };
    return { output: n % 10 < share ? String(2 * n) : "no idea" };
  }
};
"""

_QUIET = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1"}


def evaluate(promptfoo: str, folder: Path, config: Path, out: Path) -> int:
    """Run ``promptfoo eval`` in a folder, with a data base of its own, and give its exit code."""
    command = [promptfoo, "eval", "-c", str(config), "--no-cache", "--no-table", "-o", str(out)]
    environment = os.environ | _QUIET | {"PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if not out.exists():
        sys.exit(f"promptfoo wrote no {out.name}:\n{done.stdout}\n{done.stderr}")
    return done.returncode


def config_of(names: list[str]) -> dict[str, Any]:
    """A configuration of promptfoo with some of the providers."""
    return {
        "prompts": ["What is twice {{n}}?"],
        "providers": [
            {"id": "file://provider.cjs", "label": name, "config": {"share": SHARES[name]}} for name in names
        ],
        "tests": [
            {
                "description": f"twice {n}",
                "vars": {"n": n},
                "metadata": {"parity": "odd" if n % 2 else "even", "block": n // 30},
                "assert": [{"type": "equals", "value": str(2 * n)}],
            }
            for n in range(TESTS)
        ],
    }


def compare_counts(path: Path) -> None:
    """Hold promptfoo's counts of each provider against those of our table."""
    table = read_scores([path]).table
    assert {"parity", "block"} <= set(table.strata), table.strata
    print(f"  strata {', '.join(table.strata)}")
    for prompt in json.loads(path.read_text())["results"]["prompts"]:
        theirs = tuple(prompt["metrics"][f"test{kind}Count"] for kind in ("Pass", "Fail", "Error"))
        scores = table.frame.filter(model=prompt["provider"])["score"]
        ours = (int((scores == 1).sum()), int((scores == 0).sum()), scores.null_count())
        print(f"  {prompt['provider']}: passed, failed, errors {theirs}; tellapart {ours}")
        assert ours == theirs


def gate(promptfoo: str, folder: Path, baseline: str, candidate: str) -> tuple[int, dict[str, Any]]:
    """Run the gate as it is copied, with other files, and give the exit code and the result of its test."""
    text = (folder / FILES[-1]).read_text()
    text = text.replace("baseline.json", baseline).replace("candidate.json", candidate)
    config, out = folder / "gate.yaml", folder / "gate.json"
    config.write_text(text)
    out.unlink(missing_ok=True)
    code = evaluate(promptfoo, folder, config, out)
    return code, json.loads(out.read_text())["results"]["results"][0]


def main(promptfoo: str) -> None:
    version = subprocess.run([promptfoo, "--version"], capture_output=True, text=True, check=True)
    print(f"promptfoo {version.stdout.strip().splitlines()[-1]}")
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        (folder / "provider.cjs").write_text(_PROVIDER)
        for name, providers in {"both": list(SHARES), **{one: [one] for one in SHARES}}.items():
            config = folder / f"{name}-config.json"
            config.write_text(json.dumps(config_of(providers)))
            evaluate(promptfoo, folder, config, folder / f"{name}.json")
        compare_counts(folder / "both.json")
        copy_files(folder)
        for baseline, candidate, passes in (
            ("strong.json", "weak.json", False),
            ("weak.json", "strong.json", True),
            ("strong.json", "absent.json", None),
        ):
            code, result = gate(promptfoo, folder, baseline, candidate)
            said = (result.get("gradingResult") or {}).get("reason") or result.get("error")
            print(f"  gate {baseline} -> {candidate}: exit code {code}, passed {result['success']}: {said}")
            assert (code == 0, result["success"]) == (bool(passes), bool(passes))
            assert (result.get("failureReason") == 2) == (passes is None)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "promptfoo")
