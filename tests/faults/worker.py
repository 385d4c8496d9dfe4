"""A warm process in whose children command lines run, many to a child, with limits on memory and time.

Started as a program it imports the command line once and forks workers, each of which reads an order a line
and has a child obey it. A child that dies, whatever of, is the answer to the order that it had; the next
order gets a new child.
"""

import faulthandler
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ORDERS_OF_A_CHILD = 1000
MEMORY_BYTES = 4 * 2**30
CPU_S = 20
IDLE_S = 60
# No command imports them; PyTorch and sentence-transformers take five seconds.
NEVER_IMPORTED = {
    "tellapart.__main__",
    "tellapart.bundles.evaluator",
}
# What Inspect imports when it first plays something.
INSPECT = (
    """inspect_ai._eval.run inspect_ai.model._openai_responses inspect_ai.agent anyio._backends._asyncio"""
)


@dataclass(frozen=True)
class Outcome:
    """What became of a command line.

    Attributes:
        code: Its exit code; negative for the signal that ended it.
        out: What it printed.
        err: What it said.
        trace: The traceback of an error that it did not expect.
        place: The error and the last line of the program in its traceback.
        cpu_s: What it took.
        hung: Whether it was killed since it did nothing for a minute.
    """

    code: int
    out: bytes
    err: bytes
    trace: str
    place: str
    cpu_s: float
    hung: bool = False


class Program:
    """The program whose source is ``source``, imported once, and its workers."""

    def __init__(self, source: Path, workers: int):
        threads = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"), "1")
        paths = os.pathsep.join([str(source), *filter(None, [os.environ.get("PYTHONPATH")])])
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        pipes = [(os.pipe(), os.pipe()) for _ in range(workers)]
        theirs = [(orders[0], answers[1]) for orders, answers in pipes]
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), json.dumps(theirs)],
            env=kept
            | threads
            | {"PYTHONPATH": paths, "COLUMNS": "100", "NO_COLOR": "1", "TELLAPART_INDEX": "index"},
            stdin=subprocess.DEVNULL,
            pass_fds=[number for pair in theirs for number in pair],
        )
        for pair in theirs:
            for number in pair:
                os.close(number)
        self.workers = [Worker(orders[1], answers[0]) for orders, answers in pipes]

    def close(self):
        for worker in self.workers:
            worker.close()
        self._process.wait()


class Worker:
    """Runs command lines, one after the other."""

    def __init__(self, orders: int, answers: int):
        self._orders, self._answers = os.fdopen(orders, "w"), os.fdopen(answers)

    def run(self, directory: Path, arguments: list[str], scratch: Path, plant: str = "") -> Outcome:
        """Run a command line in a directory.

        Args:
            directory: Where it runs.
            arguments: Of the command line.
            scratch: Where it may put what is temporary.
            plant: A bug of ``planted`` that the program is to have.
        """
        order = {
            "directory": str(directory),
            "arguments": arguments,
            "scratch": str(scratch),
            "plant": plant,
        }
        self._orders.write(json.dumps(order) + "\n")
        self._orders.flush()
        answer = json.loads(self._answers.readline())
        out, err = scratch.with_suffix(".out"), scratch.with_suffix(".err")
        outcome = Outcome(out=out.read_bytes(), err=err.read_bytes(), **answer)
        out.unlink()
        err.unlink()
        return outcome

    def close(self):
        self._orders.close()
        self._answers.close()


def _main():
    import contextlib
    import gc
    import importlib
    import pkgutil

    import numba

    # Not what lies beside this file.
    sys.path[0] = str(HERE.parent)
    import tellapart.cli.main

    names = {module.name for module in pkgutil.walk_packages(tellapart.__path__, "tellapart.")}
    for name in [*sorted(names - NEVER_IMPORTED), *INSPECT.split()]:
        # Not every version has every module, nor every machine what an extra needs.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    _keep_tree_of_commands()
    # The first loop that is compiled or read takes half a second.
    numba.njit(lambda: 0)()
    gc.freeze()
    pipes = json.loads(sys.argv[1])
    workers = []
    for orders, answers in pipes:
        workers.append(os.fork())
        if not workers[-1]:
            for number in {number for pair in pipes for number in pair} - {orders, answers}:
                os.close(number)
            _serve(orders, answers)
            os._exit(0)
    for number in {number for pair in pipes for number in pair}:
        os.close(number)
    for worker in workers:
        os.waitpid(worker, 0)


def _serve(orders, answers):
    child = None
    with os.fdopen(orders) as lines:
        for line in lines:
            planted = json.loads(line)["plant"]
            child = child if child and child.orders < ORDERS_OF_A_CHILD and not planted else _Child(child)
            answer = child.answer(line)
            if planted:
                child.orders = ORDERS_OF_A_CHILD
            if answer is None:
                answer, child = child.last_words(), None
            os.write(answers, (json.dumps(answer) + "\n").encode())
    if child:
        child.close()


def _keep_tree_of_commands():
    """Typer works out the options of all commands anew at each call."""
    from functools import cache

    import typer.main

    typer.main.get_command = cache(typer.main.get_command)


class _Child:
    def __init__(self, before):
        if before:
            before.close()
        self.orders = 0
        theirs, self._orders = os.pipe()
        self._answers, ours = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._orders)
            os.close(self._answers)
            code = 1
            try:
                _obey(theirs, ours)
                code = 0
            finally:
                os._exit(code)
        os.close(theirs)
        os.close(ours)
        self._hung = False

    def answer(self, line):
        """What the order came to; None if the child died of it."""
        self.orders += 1
        os.write(self._orders, line.encode())
        data = b""
        while not data.endswith(b"\n"):
            used = self._cpu_ticks()
            if not select.select([self._answers], [], [], IDLE_S)[0] and self._cpu_ticks() == used:
                self._hung = True
                os.kill(self._pid, signal.SIGXCPU)
                time.sleep(1)
                os.kill(self._pid, signal.SIGKILL)
            elif not select.select([self._answers], [], [], 0)[0]:
                continue
            piece = os.read(self._answers, 2**20)
            if not piece:
                return None
            data += piece
        return json.loads(data)

    def _cpu_ticks(self):
        """Of a process that waits for ever, they stand still, however busy the machine is."""
        times = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return int(times[11]) + int(times[12])

    def last_words(self):
        code = self.close()
        return {"code": code, "trace": "", "place": "", "cpu_s": 0.0, "hung": self._hung}

    def close(self):
        os.close(self._orders)
        os.close(self._answers)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def _obey(orders, answers):
    import warnings

    # Once a place would depend on what ran before.
    warnings.simplefilter("always", RuntimeWarning)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # At the limit of time, say where.
    faulthandler.register(signal.SIGXCPU, file=2, chain=True)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    with os.fdopen(orders) as lines:
        for line in lines:
            answer = _run(json.loads(line), null)
            os.write(answers, (json.dumps(answer) + "\n").encode())


def _run(order, null):
    from tellapart.cli.main import main

    scratch = Path(order["scratch"])
    streams = {1: scratch.with_suffix(".out"), 2: scratch.with_suffix(".err")}
    for number, path in streams.items():
        file = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(order["directory"])
    os.environ["TMPDIR"] = order["scratch"]
    import tempfile

    tempfile.tempdir = None
    sys.argv = ["tellapart", *order["arguments"]]
    before = _limit()
    code, trace, place = 0, "", ""
    try:
        if order["plant"]:
            from faults import planted

            getattr(planted, order["plant"])()
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        # What main has caught and owned up to.
        error = stop.__context__
        if code == 70 and error is not None:
            trace, place = _traced(error), _place(error)
    except BaseException as error:
        code, trace, place = 1, _traced(error), _place(error)
    sys.stdout.flush()
    sys.stderr.flush()
    os.chdir("/")
    os.dup2(null, 1)
    os.dup2(null, 2)
    return {"code": code, "trace": trace, "place": place, "cpu_s": _cpu_s() - before}


def _traced(error):
    return "".join(traceback.format_exception(error, limit=-12))


def _place(error):
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/tellapart/" in frame.filename]
    where = ours[-1] if ours else frames[-1]
    file = where.filename.rpartition("/tellapart/")[2]
    return f"{type(error).__name__} {file}:{where.lineno} {where.name}"


def _cpu_s():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _limit():
    """Allow this much more than there is already; the time that was used is given."""
    cpu_s = _cpu_s()
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + CPU_S + 1, resource.RLIM_INFINITY))
    # Not of all addresses, of which JavaScript engines reserve more than there is memory.
    status = Path("/proc/self/status").read_text()
    data = int(status.partition("VmData:")[2].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (data + MEMORY_BYTES, resource.RLIM_INFINITY))
    return cpu_s


if __name__ == "__main__":
    _main()
