"""What spreads work where the processes are not the point: it pickles all, and ends with the first task."""

import pickle
from contextlib import nullcontext


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
