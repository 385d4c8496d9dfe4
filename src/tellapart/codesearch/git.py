"""Git, asked what a repository holds: nothing that it configures is run, nothing is fetched or changed."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.environment.programs import child_environment
from tellapart.errors import InputError

_TIMEOUT_S = 120
_SETTINGS = ("-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


def git(repository: Path, *arguments: str, next_step: str | None = None) -> bytes:
    """Ask git about the repository that a directory is in, or is."""
    try:
        done = subprocess.run(
            command(repository, *arguments, next_step=next_step),
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"git {arguments[0]} took more than {_TIMEOUT_S} s", where=repository) from None
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise InputError(f"git reads no history here: {complaint}", where=repository, next_step=next_step)
    return done.stdout


def command(repository: Path, *arguments: str, next_step: str | None = None) -> list[str]:
    """The command line of git in a directory."""
    program = shutil.which("git")
    if program is None:
        raise InputError("commits are read by git, which is not on PATH", next_step=next_step)
    return [program, "--no-pager", "--no-optional-locks", *_SETTINGS, "-C", str(repository), *arguments]


def environment() -> dict[str, str]:
    """No keys, and nothing that would have git look elsewhere; of a partial clone nothing more is fetched."""
    # Fetching runs programs that the repository configures. Before 2.44 git knows only the list of protocols.
    return child_environment() | {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}


@dataclass(frozen=True)
class Blob:
    """A file of a commit."""

    path: str
    id: str


def files_of(repository: Path, commit: str) -> list[Blob]:
    """List the regular files of a commit below a directory; links and submodules are left out."""
    listed = git(repository, "ls-tree", "-r", "-z", f"{commit}^{{tree}}").decode("utf-8", "surrogateescape")
    blobs = []
    for line in filter(None, listed.split("\0")):
        about, _, path = line.partition("\t")
        mode, kind, id_ = about.split(" ")
        if kind == "blob" and mode != "120000":
            blobs.append(Blob(path, id_))
    return blobs


def contents_of(repository: Path, ids: Sequence[str]) -> Iterator[bytes]:
    """Read contents as they are stored, in order; no filter of the repository is applied."""
    process = subprocess.Popen(
        command(repository, "cat-file", "--batch"),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin and process.stdout
    given, answers = process.stdin, process.stdout

    def ask() -> None:
        try:
            given.write("".join(f"{id_}\n" for id_ in ids).encode())
            given.close()
        except OSError:
            pass  # It ended; whoever reads what it said sees that.

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    try:
        for id_ in ids:
            about = answers.readline().split()
            if len(about) != 3:
                raise InputError(
                    f"the content {id_} is not in this clone", where=repository, next_step="Fetch all of it"
                )
            content = answers.read(int(about[2]))
            answers.read(1)
            yield content
    finally:
        process.kill()
        process.wait()
        asking.join()
        given.close() if not given.closed else None
        answers.close()
