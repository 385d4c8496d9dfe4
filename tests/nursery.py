"""Command lines in children of one process: each can be killed, and none is slow to begin."""

import os
import subprocess
import sys

# Imports once what takes seconds, and forks a process for every command line that it is given.
PROGRAM = """
import gc, importlib, os, signal, sys
import inspect_ai._eval.run, inspect_ai.model._openai_responses, inspect_ai.model._providers.anthropic
import inspect_ai.agent._acp.server, inspect_ai.agent
from inspect_ai.model import get_model_info
from tellapart.cli.main import main
for name in sys.argv[1:]:
    importlib.import_module(name)
get_model_info("none/none")
gc.freeze()
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        # Ignored by whatever a shell started in the background, and by its children.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["tellapart", *line.rstrip("\\n").split("\\t")]
        sys.stdin.close()
        main()
        os._exit(0)
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Nursery:
    """Runs command lines, one after the other, that ask a loopback server for every model."""

    def __init__(self, server, directory, *modules, **environment):
        """Import ``modules`` as well; ``directory`` is where the commands run."""
        self._said = (directory / "stderr").open("w+")
        ours = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", **environment}
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *modules],
            env=os.environ | server.environment() | ours,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            cwd=directory,
        )

    def begin(self, *arguments):
        """Start a command and give its process id."""
        self._process.stdin.write("\t".join(map(str, arguments)) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def ended(self):
        """Wait for it and give its exit code; what it printed before is passed over."""
        while not (line := self._process.stdout.readline().strip()).lstrip("-").isdigit():
            assert line, self.said()
        return int(line)

    def said(self):
        """What all of them have said on stderr so far."""
        self._said.seek(0)
        return self._said.read()

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._said.close()
