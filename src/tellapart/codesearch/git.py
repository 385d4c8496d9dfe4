"""Git, asked what a repository holds, and the trees of base commits.

Nothing that a repository configures is run, nothing is fetched or changed. A base commit is written into a
directory of its own from git's objects. The directory has no ``.git``, so that nobody who searches it can
look at what came later.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import TypeAlias

from tellapart.codesearch.model import Base
from tellapart.codesearch.repositories import Repositories
from tellapart.environment.programs import child_environment
from tellapart.errors import InputError
from tellapart.files.writing import scratch_directory

_TIMEOUT_S = 120
_SETTINGS = ("-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


def git(repository: Path, *arguments: str, given: bytes = b"", next_step: str | None = None) -> bytes:
    """Ask git about the repository that a directory is in, or is."""
    program = shutil.which("git")
    if program is None:
        raise InputError("commits are read by git, which is not on PATH", next_step=next_step)
    # No keys; and fetching, as of a partial clone, would run programs that the repository configures. Before
    # 2.44 git knows only the list of protocols.
    no_fetching = {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    try:
        done = subprocess.run(
            [program, "--no-pager", "--no-optional-locks", *_SETTINGS, "-C", str(repository), *arguments],
            env=child_environment() | no_fetching,
            input=given,
            capture_output=True,
            timeout=_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"git {arguments[0]} took more than {_TIMEOUT_S} s", where=repository) from None
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise InputError(f"git reads no history here: {complaint}", where=repository, next_step=next_step)
    return done.stdout


def prefix_of(repository: Path) -> str:
    """Where a directory lies in its git repository, such as ``src/``; empty at its top, and without git."""
    try:
        return git(repository, "rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").rstrip("\n")
    except InputError:
        return ""


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
    output = git(repository, "cat-file", "--batch", given="".join(f"{id_}\n" for id_ in ids).encode())
    at = 0
    for id_ in ids:
        start = output.index(b"\n", at) + 1
        about = output[at:start].split()
        if len(about) != 3:
            raise InputError(
                f"the content {id_} is not in this clone", where=repository, next_step="Fetch all of it"
            )
        end = start + int(about[2])
        yield output[start:end]
        at = end + 1


MOST_UNUSED = 8  # Directories that stay for the next issue of the same base commit
_PREFIX = "tellapart-trees-"
_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")


@dataclass
class _Tree:
    repositories: Repositories
    directory: Path
    used: int = 0


class BaseTrees:
    """Makes directories of base commits, and removes all of them at the end, however that comes."""

    def __init__(self, repositories: Repositories) -> None:
        """Go by these repositories; those that an issue does not name stay as they are now."""
        self.repositories = repositories
        self._trees: OrderedDict[Base, _Tree] = OrderedDict()
        self._commits: dict[Base, str] = {}
        self._files: dict[Base, frozenset[str]] = {}
        self._scratch = ExitStack()
        self._directory: Path | None = None
        self._made = 0

    def __enter__(self) -> BaseTrees:
        """Make the directory that holds all of them."""
        self._directory = self._scratch.enter_context(scratch_directory(_PREFIX)).resolve()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove it, with all that is in it."""
        self._scratch.close()

    def check(self, base: Base | None) -> str | None:
        """Say why there can be no directory of a base commit; None where there can."""
        try:
            self._commit(base)
        except InputError as error:
            return error.what
        return None

    def check_any(self, bases: Mapping[str, Base | None]) -> None:
        """See that some conversation has a base commit that is there."""
        faults = {id_: why for id_, base in bases.items() if (why := self.check(base))}
        if bases and len(faults) == len(bases):
            id_, why = next(iter(faults.items()))
            raise InputError(
                f"no issue can be searched at its base commit; {id_!r}: {why}",
                next_step="Issues have one from 'codesearch issues --source commits', or in the fields "
                "'repository' and 'base_commit'",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Of the approved repositories, sorted."""
        return self.repositories.names

    def held_at(self, base: Base | None, file: str) -> bool:
        """Whether a base commit holds a file, be it one that may not be read."""
        if base is None or not file.startswith(f"{base.repository}/") or self.check(base):
            return self.repositories.holds(file)
        return file in self._files_at(base)

    def _files_at(self, base: Base) -> frozenset[str]:
        if base not in self._files:
            blobs = files_of(self.repositories.root / base.repository, self._commit(base))
            self._files[base] = frozenset(f"{base.repository}/{blob.path}" for blob in blobs)
        return self._files[base]

    @contextmanager
    def at(self, base: Base | None) -> Iterator[Repositories]:
        """The repositories with the one that an issue is about as it was at its base commit."""
        commit = self._commit(base)
        assert base is not None
        tree = self._trees.get(base)
        if tree is None:
            tree = self._trees[base] = self._write(base, commit)
        self._trees.move_to_end(base)
        tree.used += 1
        try:
            yield tree.repositories
        finally:
            tree.used -= 1
            self._drop_unused()

    def _commit(self, base: Base | None) -> str:
        if base is None:
            raise InputError("it names no base commit, so that there is no tree to search")
        if base not in self._commits:
            self._commits[base] = self._look_up(base)
        return self._commits[base]

    def _look_up(self, base: Base) -> str:
        if base.repository not in self.repositories.names:
            raise InputError(f"its repository {base.repository!r} is not approved")
        if not _COMMIT.fullmatch(base.commit):
            raise InputError(f"its base commit is {base.commit!r}, expected the digits of a commit")
        home = self.repositories.root / base.repository
        try:
            resolved = git(home, "rev-parse", "--verify", "--quiet", f"{base.commit}^{{commit}}")
        except InputError:
            raise InputError(
                f"its base commit {base.commit} is not in the repository {base.repository!r}, and nothing is "
                f"fetched",
                next_step=f"git -C {shlex.quote(str(home))} fetch origin {base.commit}",
            ) from None
        return resolved.decode().strip()

    def _write(self, base: Base, commit: str) -> _Tree:
        assert self._directory is not None, "used in a with statement"
        self._made += 1
        root = self._directory / str(self._made)
        home = self.repositories.root / base.repository
        target = root / base.repository
        target.mkdir(parents=True)
        blobs = [blob for blob in files_of(home, commit) if _is_plain(blob.path)]
        if not blobs:
            raise InputError(f"its base commit {base.commit} holds no file of {base.repository!r}")
        for blob, content in zip(blobs, contents_of(home, [blob.id for blob in blobs]), strict=True):
            file = target / blob.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        for name in self.repositories.names:
            if name != base.repository:
                (root / name).symlink_to((self.repositories.root / name).resolve(), target_is_directory=True)
        return _Tree(Repositories.open(root, self.repositories.names), root)

    def _drop_unused(self) -> None:
        unused = [base for base, tree in self._trees.items() if not tree.used]
        for base in unused[: max(0, len(unused) - MOST_UNUSED)]:
            shutil.rmtree(self._trees.pop(base).directory, ignore_errors=True)


Trees: TypeAlias = BaseTrees | Repositories
"""Where each issue is searched; repositories are the same for all of them."""


def _is_plain(path: str) -> bool:
    """Whether a path of a commit stays in its directory; git refuses others, but not everybody uses git."""
    parts = PurePosixPath(path).parts
    return not path.startswith("/") and not {"..", ".git"} & {part.casefold() for part in parts}
