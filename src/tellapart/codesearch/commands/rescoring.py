"""All figures anew, from what was recorded."""

from __future__ import annotations

from tellapart.codesearch.commands.options import Iteration, Seed, Strict, fail_if_doubtful, warn_of
from tellapart.codesearch.commands.streams import In, Out, as_json, check_out, read, write


def rescore(
    source: In = None,
    out: Out = None,
    iteration: Iteration = None,
    seed: Seed = None,
    strict: Strict = False,
) -> None:
    """Measure recorded explorations and judgements anew, those of another pipeline too."""
    from tellapart.codesearch.assembling import assemble
    from tellapart.codesearch.reading import read_evaluation

    check_out(out, source)
    content, where = read(source, "evaluation.json")
    evaluation = read_evaluation(content, where=where, iteration=iteration)
    found = assemble(evaluation, seed=42 if seed is None else seed)
    write(out, as_json(found.record))
    warn_of(found.record)
    fail_if_doubtful(found.record, strict=strict)
