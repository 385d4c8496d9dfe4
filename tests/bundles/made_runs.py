"""Runs with figures of one's choice."""

from tellapart.bundles.runs import Figure, Run, Runs, frame_of


def runs_of(values, **more):
    """Runs by metric, condition and seed; a value may be a ``Figure``, and None is a run without it."""
    figures = {}
    for metric, by_condition in values.items():
        for condition, by_seed in by_condition.items():
            for seed, value in by_seed.items():
                run = figures.setdefault((condition, seed), {})
                if value is not None:
                    run[metric] = value if isinstance(value, Figure) else Figure(value)
    rows = [("", Run(condition, None, seed, run, "")) for (condition, seed), run in figures.items()]
    return Runs(frame_of(rows), default_metrics=tuple(values), **more)
