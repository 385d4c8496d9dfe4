"""How often tools that compare two evaluations claim a difference, on the same simulated tables.

Scores are 0 or 1. Sources suit one model better and another worse; in the last world items are independent. A
tool is a function of the scores of two models and the source of each item that returns whether it claims, at
5 %, that one is better. Yours is named by ``--tool``:

    def claims(a: list[float], b: list[float], sources: list[str]) -> bool: ...

    python benchmarks/peers_compare.py --tool mymodule:claims --tables 400 --json mine.json

Built in, where they are installed: tellapart; MLflow's ``compare_evaluations`` (the p of its statistics);
evalsig's automatic choice, and its bootstrap with the sources named; evalgate-cli's McNemar test; evalstats'
default comparison; errorbars' clustered standard errors. MLflow, evalgate-cli and evalstats take no sources.

``--only tellapart,errorbars`` chooses tools, ``--json FILE`` keeps the counts, and ``--picture FILE.png
COUNTS…`` draws those of several such files, for tools that need environments of their own.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from io import StringIO
from pathlib import Path

import numpy as np

from tellapart.core.comparison import compare
from tellapart.core.randomness import generator
from worlds import Draw, grid, interacting, right_or_wrong

ALPHA = 0.05
SIZE = 20

Claims = Callable[[list[float], list[float], list[str]], bool]

WORLDS: dict[str, tuple[int, float, Draw]] = {
    **{
        f"{n} sources of {SIZE}": (n * SIZE, gap, partial(interacting, size=SIZE, taste=0.25))
        for n, gap in ((8, 0.26), (20, 0.16), (60, 0.08))
    },
    "200 independent items": (200, 0.13, right_or_wrong),
}
"""Items, the difference that power is for, and how tables are drawn."""


def tellapart(a: list[float], b: list[float], sources: list[str]) -> bool:
    """Whether one is better."""
    numbers = np.unique(sources, return_inverse=True)[1]
    return compare(grid(np.array([a, b]), numbers)).primary.pairs[0].is_separated


def mlflow(a: list[float], b: list[float], sources: list[str]) -> bool:
    """Whether p is small."""
    from mlflow.genai.evaluation.comparison.paired_comparison import _compare_paired_values as compare_values

    compared = compare_values(
        "score",
        np.array(a),
        np.array(b),
        value_type="binary",
        greater_is_better=True,
        confidence_level=1 - ALPHA,
    )
    return bool(compared.p_value < ALPHA)


def evalsig(a: list[float], b: list[float], sources: list[str], cluster: str | None = None) -> bool:
    """Whether the difference is significant."""
    from evalsig import ItemResult, RunFrame
    from evalsig import compare as compare_runs

    shared = len(set(sources)) < len(sources)
    runs = [
        RunFrame(
            f"run{model}",
            f"m{model}",
            "task",
            "accuracy",
            [
                ItemResult(f"q{i:04d}", score, source if shared else None)
                for i, (score, source) in enumerate(zip(scores, sources, strict=True))
            ],
        )
        for model, scores in enumerate((a, b))
    ]
    return bool(compare_runs(*runs, cluster=cluster, alpha=ALPHA, n_resamples=1_000).significant)


def evalgate(a: list[float], b: list[float], sources: list[str]) -> bool:
    """Whether p is small, in either direction."""
    from evalgate.io import discordant_counts
    from evalgate.stats import mcnemar_test

    counts = discordant_counts([bool(score) for score in a], [bool(score) for score in b])
    return bool(mcnemar_test(*counts).p_value < ALPHA)


def evalstats(a: list[float], b: list[float], sources: list[str]) -> bool:
    """Whether the difference is significant."""
    import pandas as pd
    from evalstats import compare_models, load_from

    items = len(a)
    frame = pd.DataFrame(
        {"model": np.repeat(["a", "b"], items), "item": np.tile(np.arange(items), 2), "score": [*a, *b]}
    )
    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (pair,) = compare_models(load_from(frame)).to_dict()["pairwise"]
    return bool(pair["significant"])


def errorbars(a: list[float], b: list[float], sources: list[str]) -> bool:
    """Whether the mean difference lies beyond Student's quantile of its clustered standard errors."""
    from errorbars import cluster_robust_se
    from scipy.special import stdtrit

    difference = np.subtract(a, b)
    quantile = float(stdtrit(len(set(sources)) - 1, 1 - ALPHA / 2))
    return bool(abs(difference.mean()) > quantile * cluster_robust_se(difference.tolist(), sources))


TOOLS: dict[str, Claims] = {
    "tellapart": tellapart,
    "mlflow": mlflow,
    "evalsig": evalsig,
    "evalsig, cluster=": partial(evalsig, cluster="source"),
    "evalgate-cli": evalgate,
    "evalstats": evalstats,
    "errorbars": errorbars,
}


def main(arguments: Sequence[str]) -> int:
    """Print the share of tables on which each tool claims a difference."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tool", action="append", default=[], metavar="MODULE:FUNCTION")
    parser.add_argument("--only", help="built-in tools, between commas; none with ''")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("counts", nargs="*", type=Path)
    chosen = parser.parse_args(arguments)
    if chosen.picture:
        draw([json.loads(path.read_text()) for path in chosen.counts], chosen.picture)
        return 0
    only = ",".join(TOOLS) if chosen.only is None else chosen.only
    names = [name for name in TOOLS if name.partition(",")[0] in only.split(",")]
    tools = installed({name: TOOLS[name] for name in names})
    for path in chosen.tool:
        module, _, function = path.partition(":")
        tools[f"{path} {released(module)}".strip()] = getattr(import_module(module), function)
    rates = measure(tools, chosen.tables)
    if chosen.json:
        chosen.json.write_text(json.dumps({"tables": chosen.tables, "rates": rates}, indent=1))
    return 0


def released(module: str) -> str:
    """The version of the distribution that a module is from, or nothing."""
    names = packages_distributions().get(module.partition(".")[0], [module])
    try:
        return version(names[0])
    except PackageNotFoundError:
        return ""


def installed(tools: dict[str, Claims]) -> dict[str, Claims]:
    """Keep the tools that run here, under their names with versions."""
    kept = {}
    for name, claims in tools.items():
        module = name.partition(",")[0].removesuffix("-cli")
        try:
            claims([0.0, 1.0] * 10, [1.0, 0.0] * 10, list(map(str, range(20))))
        except ImportError as error:
            print(f"{name}: left out, {error}")
        else:
            kept[f"{name} {released(module)}".strip()] = claims
    return kept


def measure(tools: dict[str, Claims], tables: int) -> dict[str, dict[str, float]]:
    """Count claims in every world, without a difference and with one; shares by tool and row."""
    print(f"{tables} tables a row, sources with taste 0.25; claims at 5 %, in % of tables")
    print(f"{'':<38}" + "".join(f"{name:>26}" for name in tools))
    rates: dict[str, dict[str, float]] = {name: {} for name in tools}
    seconds = dict.fromkeys(tools, 0.0)
    for world, (items, gap, draw_table) in WORLDS.items():
        for planted in (0.0, gap):
            row = f"{world}, {f'true gap {100 * planted:.0f} points' if planted else 'no difference'}"
            claimed = dict.fromkeys(tools, 0)
            for seed in range(tables):
                table = draw_table(generator(seed, world, str(planted)), items, planted)
                a, b = table.scores.tolist()
                sources = [f"s{cluster}" for cluster in table.clusters]
                for name, claims in tools.items():
                    start = time.perf_counter()
                    claimed[name] += claims(a, b, sources)
                    seconds[name] += time.perf_counter() - start
            for name in tools:
                rates[name][row] = claimed[name] / tables
            print(f"{row:<38}" + "".join(f"{100 * claimed[n] / tables:>26.1f}" for n in tools), flush=True)
    made = 2 * len(WORLDS) * tables
    print(f"{'ms a table':<38}" + "".join(f"{1000 * s / made:>26.1f}" for s in seconds.values()))
    return rates


def draw(counted: Sequence[dict[str, dict[str, dict[str, float]]]], path: Path) -> None:
    """Draw false claims of every tool."""
    import altair as alt

    rows = [
        {"tool": tool, "world": row.partition(", no")[0], "share": 100 * share}
        for counts in counted
        for tool, rates in counts["rates"].items()
        for row, share in rates.items()
        if row.endswith("no difference")
    ]
    base = alt.Chart(alt.Data(values=rows))
    bars = base.mark_bar(height=9).encode(
        y=alt.Y("tool:N", title=None, sort=[row["tool"] for row in rows]),
        x=alt.X("share:Q", title="false claims, % of tables"),
        color=alt.condition(
            "indexof(datum.tool, 'tellapart') == 0", alt.value("#2a7f62"), alt.value("#b0b7bf")
        ),
    )
    allowed = base.mark_rule(strokeDash=[4, 3], color="#c0392b").encode(x=alt.datum(100 * ALPHA))
    faceted = alt.layer(bars, allowed).properties(width=210, height=130)
    order = list(dict.fromkeys(row["world"] for row in rows))
    faceted.facet(facet=alt.Facet("world:N", title=None, sort=order), columns=2).save(
        str(path), scale_factor=2
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
