"""Command lines that run in forks of a process that imported the program, with limits on memory and time."""

import faulthandler
import multiprocessing
import os
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from queue import SimpleQueue

from damage.oracle import Outcome

MEMORY_BYTES = 4 * 2**30
CPU_S = 20
HUNG_S = 300
"""Of real time, of which a busy machine takes much."""
KIT = Path(__file__).parents[1]
_ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"), "1") | {
    "COLUMNS": "100",
    "NO_COLOR": "1",
    # Of a damaged file that is refused Polars prints a line of its own, and a stack if it is asked for.
    "RUST_BACKTRACE": "0",
    "TELLAPART_INDEX": "index",
}


class Workers:
    """So many forks of the program of a source tree, each with one command line at a time."""

    def __init__(self, source: Path, count: int, root: Path):
        for name in [name for name in os.environ if name.endswith("_API_KEY")]:
            del os.environ[name]
        paths = [str(source), str(KIT), str(KIT.parents[1] / "tests")]
        os.environ.update(_ENVIRONMENT, PYTHONPATH=os.pathsep.join(paths))
        multiprocessing.get_context("forkserver").set_forkserver_preload(["damage.program"])
        self.count, self._root = count, root
        self._workers = [_Worker() for _ in range(count)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)

    def run(self, directory: Path, command: str, plant: str = "") -> tuple[Outcome, list[str]]:
        """What became of a command line, and its temporary files that stay; ``plant`` is of `planted`."""
        worker = self._idle.get()
        scratch = Path(tempfile.mkdtemp(dir=self._root))
        try:
            outcome = worker.run(directory, shlex.split(command), scratch, plant)
            return outcome, [f"TMPDIR/{path.relative_to(scratch)}" for path in scratch.rglob("*")]
        finally:
            self._idle.put(worker)
            shutil.rmtree(scratch)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


class _Worker:
    """A fork in which command lines run, one after the other, until it dies of one."""

    def __init__(self):
        self._process = None

    def run(self, directory, arguments, scratch, plant):
        if plant:
            self.close()
        if self._process is None:
            context = multiprocessing.get_context("forkserver")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,))
            self._process.start()
            theirs.close()
        self._pipe.send((directory, arguments, scratch, plant))
        hung = not self._pipe.poll(HUNG_S)
        if hung:
            os.kill(self._process.pid, signal.SIGXCPU)
            self._process.join(1)
            self._process.kill()
        try:
            answer = self._pipe.recv()
        except EOFError:
            self._process.join()
            answer = {"code": self._process.exitcode}
            self._process = None
        if plant:
            self.close()
        out, err = scratch.with_suffix(".out"), scratch.with_suffix(".err")
        outcome = Outcome(out=out.read_bytes(), err=err.read_bytes(), hung=hung, **answer)
        out.unlink()
        err.unlink()
        return outcome

    def close(self):
        if self._process is not None:
            self._pipe.close()
            self._process.join()
            self._process = None


def _serve(orders):
    # Once a place would depend on what ran before.
    warnings.simplefilter("always", RuntimeWarning)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # At the limit of time, say where.
    faulthandler.register(signal.SIGXCPU, file=2, chain=True)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    while True:
        try:
            order = orders.recv()
        except EOFError:
            # Threads of the program are not waited for.
            os._exit(0)
        answer = _obey(*order)
        for number in (1, 2):
            os.dup2(null, number)
        orders.send(answer)


def _obey(directory, arguments, scratch, plant):
    from tellapart.cli.main import main

    for number, suffix in ((1, ".out"), (2, ".err")):
        file = os.open(scratch.with_suffix(suffix), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(directory)
    tempfile.tempdir = None
    os.environ["TMPDIR"] = str(scratch)
    sys.argv = ["tellapart", *arguments]
    before = _limit()
    code, unexpected = 0, None
    try:
        if plant:
            from damage import planted

            getattr(planted, plant)()
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        # What main has caught and owned up to.
        unexpected = stop.__context__ if code == 70 else None
    except BaseException as error:
        code, unexpected = 1, error
    sys.stdout.flush()
    sys.stderr.flush()
    os.chdir("/")
    told = {"trace": _traced(unexpected), "place": _place(unexpected)} if unexpected else {}
    return {"code": code, "cpu_s": _cpu_s() - before, **told}


def _traced(error):
    return "".join(traceback.format_exception(error, limit=-12))


def _place(error):
    frames = traceback.extract_tb(error.__traceback__)
    where = next((frame for frame in reversed(frames) if "/tellapart/" in frame.filename), frames[-1])
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
