"""Writers of planted quality and judges, on a benchmark that is written down."""

import json
from dataclasses import replace

from contrastive.fakes import make_benchmark, make_unit
from tellapart.contrastive.building import freeze
from tellapart.offline.contrastive import first_line, names, vague
from tellapart.offline.responders import respond

WORDS = ("price", "basket", "voucher", "customer", "parcel", "invoice", "ledger", "stock", "route", "depot")


def code_of(k):
    """No two are alike, so that scores vary."""
    one, other, third = (WORDS[(k + shift) % len(WORDS)] for shift in (0, 3, 7))
    lines = [f"def work_{k}({one}, {other}):"]
    lines += [f"    {WORDS[(k * n) % len(WORDS)]} = {third}_{n}" for n in range(k % 4)]
    lines += [f"    {other}_{third} = {one}.{other}({k})", f"    for {third} in {other}_{third}:"]
    return "\n".join([*lines, f"        {one}.{third}({other})", f"    return {one}"])


def make_units(count):
    """Functions about two or three words each, one to a file."""
    return [replace(make_unit(f"work_{k}", path=f"f{k:02}.py"), content=code_of(k)) for k in range(count)]


def written_by(responder, unit):
    lines = "\n".join(f"| {line}" for line in unit.content.split("\n"))
    return json.loads(responder(f"abcdef012345 Code\n{lines}\n"))["summary"]


WRITERS = {"names": names, "first-line": first_line, "vague": vague}


def planted_bench(out, count=12, writers=WRITERS, summaries=None):
    """A frozen benchmark of as many targets, with the summaries of ``writers`` or those given."""
    units = make_units(count)
    if summaries is None:
        summaries = [
            (unit.name, f"offline/{name}", written_by(writer, unit))
            for unit in units
            for name, writer in writers.items()
        ]
    sets = [
        ("easy", unit.name, [units[(k + step) % count].name for step in range(1, 5)])
        for k, unit in enumerate(units)
    ]
    freeze(make_benchmark(units, summaries, sets), out)
    return out


def scripted(name, score=None, prefer=None, asked=None):
    """A judge ``offline/NAME`` that scores by ``score(summary)`` and prefers by ``prefer(first, second)``."""

    @respond(name)
    def reply(prompt):
        if asked is not None:
            asked.append(prompt)
        parts = [part.split("\n\n")[0] for part in prompt.split("ummary\n")[1:]]
        texts = ["\n".join(line[2:] for line in part.split("\n") if line.startswith("|")) for part in parts]
        if "First summary" in prompt:
            return json.dumps({"better": prefer(*texts), "reasoning": "So it is."})
        criteria = ("accuracy", "completeness", "semantic_richness", "abstraction", "conciseness")
        value = score(texts[0])
        scores = value if isinstance(value, dict) else dict.fromkeys(criteria, value)
        return json.dumps(scores | {"reasoning": "So it is."})

    return f"offline/{name}"
