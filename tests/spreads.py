"""What spreads work where the processes are not the point: it pickles all, and ends with the first task."""

import pickle


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
