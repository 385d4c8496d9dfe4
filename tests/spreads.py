"""What spreads work where the processes are not the point, and a model that is spread and quick to load."""

import pickle
import time
from contextlib import nullcontext

from tellapart.embed.models import hashing
from tellapart.embed.models.hashing import HashingEmbedder


def in_process(job, tasks):
    """Do tasks in this process, as ``Spread`` does in others."""
    state = job.open()
    for number, task in enumerate(tasks):
        yield number, job.do(state, task)


def open_in_process(options):
    """Open it, as ``open_spread`` opens workers."""
    return nullcontext(in_process)


class Pickling:
    """Counts what it was given."""

    def __init__(self):
        self.jobs, self.tasks = [], []

    def __call__(self, job, tasks):
        worker = pickle.loads(pickle.dumps(job))
        self.jobs.append(job)
        state = worker.open()
        for number in reversed(range(len(tasks))):
            task = pickle.loads(pickle.dumps(tasks[number]))
            self.tasks.append(task)
            assert worker.describe(task)
            yield number, pickle.loads(pickle.dumps(worker.do(state, task)))


class SlowHashing(HashingEmbedder):
    """As slow as a model."""

    def encode(self, texts, *, kind="document"):
        time.sleep(0.05)
        return super().encode(texts, kind=kind)


def load_slow(request):
    """Load it in this process, or in a worker."""
    return request.cached(SlowHashing(), batch_size=64, load=load_slow)


def slow_main():
    """The command line, in which ``hashing`` is that model."""
    from tellapart.cli.main import main

    hashing.load = load_slow
    main()
