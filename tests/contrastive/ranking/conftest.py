import json
import re
from zlib import crc32

import pytest

from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.material import gather_material
from tellapart.contrastive.selection.levels import levels_named

THINGS = ("invoice", "customer", "parcel", "ledger", "sensor", "voucher", "tenant", "cargo", "pupil", "route")
DEEDS = ("archive", "merge", "price", "rank")


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """Forty functions in ten files."""
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
    return root


@pytest.fixture(scope="session")
def shop_bench(shop):
    """Three writers of planted quality about every function, at two levels: names, some names, no names."""
    units = gather_material([shop], summaries=None, candidates="all").units
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
    file = shop.parent / "summaries.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    out = shop.parent / "bench"
    options = BuildOptions(targets=40, levels=levels_named(["easy", "hard"]), mask_names=False)
    building.build([shop], options, out, summaries=f"jsonl:{file}")
    return out


@pytest.fixture(scope="session")
def shop_run(shop_bench):
    """The same, answered by two matchers."""
    return running.run(shop_bench, ["bm25", "tfidf"], out=shop_bench.parent / "run").path
