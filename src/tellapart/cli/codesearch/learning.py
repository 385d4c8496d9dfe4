"""What an evaluation teaches."""

from __future__ import annotations

from tellapart.cli.codesearch.options import Seed
from tellapart.cli.codesearch.streams import In, Out, as_json, read, write
from tellapart.cli.output import say, warn


def learn(source: In = None, out: Out = None, seed: Seed = None) -> None:
    """Say what led to noise, what was missed, and what might be changed; nothing is changed."""
    from tellapart.codesearch.learning.learnings import learnings, summary
    from tellapart.codesearch.reading import read_evaluation

    content, where = read(source, "evaluation.json")
    found = learnings(read_evaluation(content, where=where), seed=42 if seed is None else seed)
    write(out, as_json(found))
    warn(found["notes"])
    for line in summary(found):
        say(line)
