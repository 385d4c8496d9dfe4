"""Command lines in children of one process: each can be killed, and none is slow to begin."""

import json
import os
import subprocess
import sys

# Imports once what takes seconds, and forks a process for every order that it is given.
PROGRAM = """
import gc, importlib, json, os, signal, sys
import inspect_ai._eval.run, inspect_ai.model._openai_responses, inspect_ai.model._providers.anthropic
import inspect_ai.agent._acp.server, inspect_ai.agent
import anyio._backends._asyncio
from inspect_ai.model import get_model_info
import tellapart.cli.main
get_model_info("none/none")
for line in sys.stdin:
    order = json.loads(line)
    for name in order["modules"]:
        importlib.import_module(name)
    gc.freeze()
    pid = os.fork()
    if not pid:
        # Ignored by whatever a shell started in the background, and by its children.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(os.open(order["stderr"], os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
        os.environ.update(order["environment"])
        os.chdir(order["directory"])
        sys.argv = ["tellapart", *order["arguments"]]
        sys.stdin.close()
        module, _, function = order["function"].partition(":")
        getattr(importlib.import_module(module), function)()
        os._exit(0)
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Parent:
    """The process that imports and forks; there is one for all files of tests in a process."""

    def __init__(self):
        ours = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | ours | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def order(self, order):
        """Have a process forked, and give its id."""
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def line(self):
        """What a child prints next, or its exit code."""
        line = self._process.stdout.readline()
        assert line, "the process that forks has ended"
        return line.strip()

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class Nursery:
    """Runs command lines, one after the other, that ask a loopback server for every model."""

    def __init__(self, parent, server, directory, *modules, **environment):
        """Import ``modules`` as well, once for all children; ``directory`` is where the commands run."""
        self._parent = parent
        self._stderr = directory / "stderr"
        self._stderr.touch()
        self.printed = []
        self._order = {
            "modules": modules,
            "environment": server.environment() | environment if server else environment,
            "directory": str(directory),
            "stderr": str(self._stderr),
        }

    def begin(self, *arguments, function="tellapart.cli.main:main"):
        """Start a command, or a function that reads ``sys.argv``, and give the id of its process."""
        order = {"arguments": [str(argument) for argument in arguments], "function": function}
        return self._parent.order(self._order | order)

    def ended(self):
        """Wait for it and give its exit code; the lines that it printed are in ``printed``."""
        self.printed = []
        while not (line := self._parent.line()).lstrip("-").isdigit():
            self.printed.append(line)
        return int(line)

    def said(self):
        """What all of them have said on stderr so far."""
        return self._stderr.read_text()
