import json
import re
from zlib import crc32

import pytest

from contrastive.fakes import make_benchmark, make_unit
from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.selection.levels import levels_named
from tellapart.contrastive.units import gather_material
from writers.planted import planted_bench

THINGS = ("invoice", "customer", "parcel", "ledger", "sensor", "voucher", "tenant", "cargo", "pupil", "route")
DEEDS = ("archive", "merge", "price", "rank")


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """Twelve functions in twelve files, summarized by three rules of planted quality."""
    return planted_bench(tmp_path_factory.mktemp("planted") / "bench")


@pytest.fixture(scope="session")
def shop_bench(tmp_path_factory):
    """Forty functions in ten files, and three writers of planted quality: names, some names, no names."""
    root = tmp_path_factory.mktemp("ranking") / "shop"
    root.mkdir()
    for i, thing in enumerate(THINGS):
        functions = [
            "\n".join(
                [
                    f"def {deed}_{thing}({thing}, {THINGS[i - 1]}_limit):",
                    f"    {deed}_total = 0",
                    # Units that differ in names alone count as one.
                    *(f"    {deed}_total += {thing}.{thing}_size" for _ in range(i + 1)),
                    *(f"    if {deed}_total > {THINGS[i - 1]}_limit:\n        pass" for _ in range(j + 1)),
                    f"    return {deed}_total\n",
                ]
            )
            for j, deed in enumerate(DEEDS)
        ]
        (root / f"{thing}.py").write_text("\n\n".join(functions), encoding="utf-8")
    units = gather_material([root], summaries=None, candidates="all").units
    words = {unit.id: sorted(set(re.findall(r"[a-z]+", unit.content))) for unit in units}
    writers = {
        "names": lambda unit: f"Works with {' '.join(words[unit])}.",
        # Half of the units get the names, the others nothing to go by.
        "some": lambda unit: writers["names" if crc32(unit.encode()) % 2 else "vague"](unit),
        "vague": lambda unit: "Does what has to be done here, with care.",
    }
    lines = [
        json.dumps({"unit": unit, "model": writer, "summary": write(unit)})
        for writer, write in writers.items()
        for unit in words
    ]
    (root.parent / "summaries.jsonl").write_text("\n".join(lines), encoding="utf-8")
    options = BuildOptions(targets=40, levels=levels_named(["easy", "hard"]), mask_names=False)
    out = root.parent / "bench"
    building.build([root], options, out, summaries=f"jsonl:{root.parent / 'summaries.jsonl'}")
    return out


@pytest.fixture(scope="session")
def shop_run(shop_bench):
    """The same, answered by two matchers."""
    return running.run(shop_bench, ["bm25", "tfidf"], out=shop_bench.parent / "run").path


@pytest.fixture(scope="session")
def fruit(tmp_path_factory):
    """Six targets in three files, a writer about all of them, and one about four."""
    names = ("apple", "berry", "cherry", "date", "elder", "fig")
    code = "def {name}():\n    # Give back what {name} is made of.\n    return {name}\n"
    units = [
        make_unit(name, path=f"{'abc'[i % 3]}.py", line=1 + 20 * i, content=code.format(name=name))
        for i, name in enumerate(names)
    ]
    summaries = [(name, "plain", f"This returns the {name} itself.") for name in names]
    summaries += [(name, "terse", f"Something of {name[:3]} fruit.") for name in names[:4]]
    sets = [("easy", name, [other for other in names if other != name][:4]) for name in names]
    out = tmp_path_factory.mktemp("fruit") / "bench"
    building.freeze(make_benchmark(units, summaries, sets), out)
    return out
