"""A file system that is watched from within a process: whatever changes it is seen before it is done.

What Python does is caught by taking the place of functions of ``os`` and of ``open``. What C code writes past
Python is not seen: for the commands here, as ``strace`` shows, a file without a name, of which a crash leaves
nothing, and the cache of vectors, which is SQLite's to keep whole.
"""

import _io
import builtins
import errno
import io
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

KILL, LOST, EMPTIED, ZEROED = "kill", "lost", "emptied", "zeroed"
CUTS = (LOST, EMPTIED, ZEROED)
"""What a power cut leaves: of names and contents alike what was synced; all names, but of each file what was
synced; all names and lengths, with zeros in the place of what was not synced."""


@dataclass(frozen=True)
class Node:
    """A file, or a directory where ``data`` is None."""

    inode: int
    mode: int
    data: bytes | None
    modified_ns: int = field(default=0, compare=False)


Tree = dict[str, Node]
"""What lies below a directory, by path from there; a directory comes before what is in it."""


def read_tree(root: Path) -> Tree:
    """Read everything below ``root``."""
    tree: Tree = {}
    base = len(str(root)) + 1
    pending = [str(root)]
    while pending:
        for entry in sorted(os.scandir(pending.pop()), key=lambda entry: entry.name):
            status = entry.stat(follow_symlinks=False)
            data = None
            if entry.is_symlink():
                data = bytes(Path(entry.path).readlink())
            elif entry.is_dir():
                pending.append(entry.path)
            else:
                data = _read(entry.path)
            tree[entry.path[base:]] = Node(status.st_ino, status.st_mode, data, status.st_mtime_ns)
    return tree


def write_tree(tree: Tree, root: Path) -> None:
    """Make ``root`` hold just this."""
    now = read_tree(root)
    for name in sorted(now, reverse=True):
        if name not in tree or _unlike(now[name], tree[name]):
            path = root / name
            path.rmdir() if now[name].data is None else path.unlink()
            del now[name]
    for name in sorted(tree):
        node, path = tree[name], root / name
        if name in now:
            pass
        elif node.data is None:
            path.mkdir()
        elif stat.S_ISLNK(node.mode):
            path.symlink_to(node.data.decode())
        else:
            path.write_bytes(node.data)
        if not stat.S_ISLNK(node.mode):
            path.chmod(stat.S_IMODE(node.mode))
            os.utime(path, ns=(node.modified_ns, node.modified_ns))


def _unlike(one: Node, other: Node) -> bool:
    return stat.S_IFMT(one.mode) != stat.S_IFMT(other.mode) or one.data != other.data


@dataclass
class _Entry:
    """A change of names: the directories that must be synced for it, and what it takes to take it back."""

    directories: set[int]
    kind: str
    path: str
    source: str
    gone: Node | None


_NAMES = (
    "open write pwrite writev sendfile copy_file_range ftruncate truncate posix_fallocate fsync fdatasync "
    "rename replace unlink remove rmdir mkdir link symlink chmod fchmod"
)
REAL = {name: getattr(os, name) for name in _NAMES.split()}
"""Functions of ``os`` that are not seen."""
_OPEN = io.open
_NO_FILES = ("/dev/", "/proc/", "pipe:", "socket:", "anon_inode:")
_DELETED = " (deleted)"

Seen = Callable[["Disk", int, str, str], None]
"""Called before an operation with its number from 1, its name and its path; may raise what a disk would."""


class Disk:
    """Everything below a directory, and what of it would survive a power cut.

    Attributes:
        operations: How many there have been.
        outside: What was changed outside of the directory, as names of operations and paths.
    """

    def __init__(self, root: Path, seen: Seen):
        self.root = str(root.resolve())
        self.operations = 0
        self.outside: list[tuple[str, str]] = []
        self._seen = seen
        self.lock = threading.RLock()
        # Of each file that was changed since it was synced, what of it is on the disk.
        self._synced: dict[int, bytes] = {}
        self._entries: list[_Entry] = []

    # What a crash would leave.

    def after(self, how: str) -> Tree:
        """What a kill or a power cut would leave at this moment."""
        tree = read_tree(Path(self.root))
        if how == KILL:
            return tree
        if how == LOST:
            tree = self._without_names(tree)
        return {
            name: replace(node, data=self._surviving(node, how)) if node.inode in self._synced else node
            for name, node in tree.items()
        }

    def synced(self, name: str) -> list[bytes]:
        """Of every file that is called so, what is certainly on the disk."""
        nodes = [node for path, node in read_tree(Path(self.root)).items() if path.endswith("/" + name)]
        return [self._synced.get(node.inode, node.data or b"") for node in nodes]

    def _surviving(self, node: Node, how: str) -> bytes:
        synced, data = self._synced[node.inode], node.data or b""
        if how != ZEROED:
            return synced
        kept = len(synced) if data.startswith(synced) else 0
        return data[:kept] + bytes(len(data) - kept)

    def _without_names(self, tree: Tree) -> Tree:
        """Take back, from the last to the first, each change of a directory that was not synced."""
        moved: list[_Entry] = []
        for entry in reversed(self._entries):
            path, source = entry.path, entry.source
            moot = False
            for move in reversed(moved):
                # What has another name in a directory that is synced is there, whatever became of its first.
                moot |= move.source == path
                path, source = (_renamed(each, move.source, move.path) for each in (path, source))
            if not entry.directories:
                if entry.kind == "rename":
                    moved.append(entry)
            elif entry.kind == "rename":
                tree = {_renamed(name, path, source): node for name, node in tree.items()}
            elif entry.kind != "remove" and not moot:
                tree = {name: node for name, node in tree.items() if not _below(name, path)}
            if entry.directories and entry.gone is not None and _parent(path) in {"", *tree}:
                tree[path] = entry.gone
        return tree

    # What is done.

    def step(self, name: str, path: str, change: Callable[[], None] = lambda: None) -> None:
        """An operation that changes something is about to be done."""
        if not _below(path, self.root):
            if not path.startswith(_NO_FILES):
                self.outside.append((name, path))
            return
        with self.lock:
            self.operations += 1
            self._seen(self, self.operations, name, path[len(self.root) + 1 :])
            change()

    def write(self, name: str, fd: int) -> None:
        """A file that is open is about to be changed; one without a name leaves nothing."""

        def change() -> None:
            status = os.fstat(fd)
            if status.st_ino not in self._synced and stat.S_ISREG(status.st_mode):
                self._synced[status.st_ino] = _reopened(fd)

        if not (path := _path_of(fd)).endswith(_DELETED):
            self.step(name, path, change)

    def sync(self, name: str, fd: int) -> None:
        """What was written to a file, or the names in a directory, are about to be brought to the disk."""

        def change() -> None:
            inode = os.fstat(fd).st_ino
            self._synced.pop(inode, None)
            for entry in self._entries:
                entry.directories.discard(inode)

        if not (path := _path_of(fd)).endswith(_DELETED):
            self.step(name, path, change)

    def opening(self, path: str, flags: int) -> str:
        """A file is about to be opened; gives its path if it will be a new one."""
        if flags & os.O_TMPFILE == os.O_TMPFILE or not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return ""
        if not os.path.lexists(path):
            if not flags & os.O_CREAT or not Path(_parent(path)).is_dir():
                return ""
            self.name("create", path)
            return path if _below(path, self.root) else ""
        status = Path(path).stat()
        if flags & os.O_TRUNC and status.st_size and stat.S_ISREG(status.st_mode):
            whole = _read(path)
            self.step("truncate", path, lambda: self._synced.setdefault(status.st_ino, whole) and None)
        return ""

    def is_new(self, path: str) -> None:
        """Of a new file nothing is on the disk; its number may be that of one that was deleted."""
        with self.lock:
            self._synced[Path(path).stat().st_ino] = b""

    def name(self, kind: str, path: str, source: str = "") -> None:
        """A name is about to be given, taken away, or moved to ``path`` from ``source``."""
        gone = self._gone(path)
        inode = os.lstat(path).st_ino if gone else None

        def change() -> None:
            if inode is not None:
                # The number may soon be that of another file, or of a directory.
                self._synced.pop(inode, None)
            paths = [each[len(self.root) + 1 :] for each in (path, source)]
            self._entries.append(_Entry({Path(_parent(path)).stat().st_ino}, kind, *paths, gone))

        self.step(kind, path, change)

    def _gone(self, path: str) -> Node | None:
        """What is about to lose its name, as it would be there again; its number may soon be another's."""
        if not os.path.lexists(path) or not _below(path, self.root):
            return None
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            return Node(-1, status.st_mode, None)
        data = bytes(Path(path).readlink()) if stat.S_ISLNK(status.st_mode) else _read(path)
        return Node(-1, status.st_mode, self._synced.get(status.st_ino, data), status.st_mtime_ns)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See everything that this process does while the block runs."""
        places = [(os, name, function) for name, function in _stand_ins(self).items()]
        places += [(module, "open", _opened(self)) for module in (builtins, io, _io)]
        before = [(module, name, getattr(module, name)) for module, name, _ in places]
        for module, name, function in places:
            setattr(module, name, function)
        try:
            yield
        finally:
            for module, name, function in before:
                setattr(module, name, function)


def _opened(disk: Disk) -> Callable:
    """What stands in for ``open``: a file that is to be written tells of its writes."""

    class Watched(io.FileIO):
        def write(self, data):
            with disk.lock:
                disk.write("write", self.fileno())
                return super().write(data)

        def truncate(self, size=None):
            with disk.lock:
                if os.fstat(self.fileno()).st_size != (self.tell() if size is None else size):
                    disk.write("truncate", self.fileno())
                return super().truncate(size)

    def opened(
        file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None
    ):
        if not set(mode) - set("rbtU"):
            return _OPEN(file, mode, buffering, encoding, errors, newline, closefd, opener)
        new = ""
        if not isinstance(file, int) and opener is None:
            creates = 0 if "r" in mode else os.O_CREAT
            new = disk.opening(_full(file), os.O_WRONLY | creates | (os.O_TRUNC if "w" in mode else 0))
        raw = Watched(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        if new:
            disk.is_new(new)
        if buffering == 0:
            return raw
        size = io.DEFAULT_BUFFER_SIZE if buffering in (-1, 1) else buffering
        buffer = (io.BufferedRandom if "+" in mode else io.BufferedWriter)(raw, size)
        if "b" in mode:
            return buffer
        text = io.TextIOWrapper(buffer, encoding, errors, newline, buffering == 1)
        text.mode = mode
        return text

    return opened


def _stand_ins(disk: Disk) -> dict[str, Callable]:  # noqa: C901
    """What stands in for functions of ``os``."""

    def os_open(path, flags, mode=0o777, *, dir_fd=None):
        new = disk.opening(_full(path, dir_fd), flags)
        fd = REAL["open"](path, flags, mode, dir_fd=dir_fd)
        if new:
            disk.is_new(new)
        return fd

    def writes(name, position=0):
        def function(*args, **options):
            with disk.lock:
                disk.write(name, args[position])
                return REAL[name](*args, **options)

        return function

    def ftruncate(fd, length):
        with disk.lock:
            if os.fstat(fd).st_size != length:
                disk.write("truncate", fd)
            return REAL["ftruncate"](fd, length)

    def truncate(path, length):
        fd = REAL["open"](path, os.O_WRONLY)
        try:
            ftruncate(fd, length)
        finally:
            os.close(fd)

    def syncs(name):
        def function(file):
            with disk.lock:
                disk.sync(name, file if isinstance(file, int) else file.fileno())
                return REAL[name](file)

        return function

    def renames(name):
        def function(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
            with disk.lock:
                if os.path.lexists(source := _full(src, src_dir_fd)):
                    disk.name("rename", _full(dst, dst_dir_fd), source)
                return REAL[name](src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

        return function

    def removes(name):
        def function(path, *, dir_fd=None):
            with disk.lock:
                if os.path.lexists(full := _full(path, dir_fd)):
                    disk.name("remove", full)
                return REAL[name](path, dir_fd=dir_fd)

        return function

    def mkdir(path, mode=0o777, *, dir_fd=None):
        with disk.lock:
            full = _full(path, dir_fd)
            if not os.path.lexists(full) and Path(_parent(full)).is_dir():
                disk.name("mkdir", full)
            return REAL["mkdir"](path, mode, dir_fd=dir_fd)

    def links(name):
        def function(src, dst, *args, **options):
            with disk.lock:
                disk.name(name, _full(dst, options.get("dst_dir_fd") or options.get("dir_fd")))
                return REAL[name](src, dst, *args, **options)

        return function

    def changes_mode(name):
        def function(path, mode, **options):
            with disk.lock:
                full = _full(path, options.get("dir_fd"))
                if Path(full).exists() and stat.S_IMODE(Path(full).stat().st_mode) != mode:
                    disk.step("chmod", full)
                return REAL[name](path, mode, **options)

        return function

    return {
        "open": os_open,
        "ftruncate": ftruncate,
        "truncate": truncate,
        "mkdir": mkdir,
        "copy_file_range": writes("copy_file_range", 1),
        **{name: writes(name) for name in ("write", "pwrite", "writev", "posix_fallocate", "sendfile")},
        **{name: syncs(name) for name in ("fsync", "fdatasync")},
        **{name: renames(name) for name in ("rename", "replace")},
        **{name: removes(name) for name in ("unlink", "remove", "rmdir")},
        **{name: links(name) for name in ("link", "symlink")},
        **{name: changes_mode(name) for name in ("chmod", "fchmod")},
    }


def _full(path, dir_fd=None) -> str:
    if isinstance(path, int):
        return _path_of(path)
    name = Path(_path_of(dir_fd) if dir_fd is not None else "", os.fsdecode(path))
    # Not the last name, which may be a link that is renamed or removed.
    return str(name.parent.resolve() / name.name)


def _path_of(fd: int) -> str:
    return str(Path(f"/proc/self/fd/{fd}").readlink())


def _read(path: str) -> bytes:
    fd = REAL["open"](path, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        return os.pread(fd, size, 0) if size else b""
    finally:
        os.close(fd)


def _reopened(fd: int) -> bytes:
    # Since a file that is open for writing alone cannot be read.
    return _read(f"/proc/self/fd/{fd}")


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _below(name: str, path: str) -> bool:
    return name == path or name.startswith(path + "/")


def _renamed(name: str, source: str, target: str) -> str:
    return target + name[len(source) :] if _below(name, source) else name


FULL = errno.ENOSPC
"""The error of a disk that is full."""
BROKEN = errno.EIO
"""The error of a disk that is broken."""
