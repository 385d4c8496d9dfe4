"""Graded probes with nothing but what curves look at."""

from tellapart.longcontext.results import ProbeRecord


def probe_point(model, item, case, tokens, distance, depth, value, missing=None, intended=None):
    return ProbeRecord.model_construct(
        model=model, item=item, case=case, context_tokens=tokens, distance_tokens=distance, depth=depth,
        value=value, missing=missing, intended_tokens=intended,
    )  # fmt: skip
