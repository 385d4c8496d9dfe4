"""A progress that remembers what it was told."""

from contextlib import contextmanager


class Recorded:
    def __init__(self):
        self.messages = []
        self.steps = []

    def __call__(self, message):
        self.messages.append(message)

    @contextmanager
    def step(self, what, total, *, unit="", done=0, summary=False):
        counts = []
        self.steps.append((what, total, unit, counts))
        yield type("Step", (), {"update": lambda self, done, **_: counts.append(done)})()
