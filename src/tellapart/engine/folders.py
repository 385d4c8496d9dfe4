"""Folders of files, on this machine or in an object store, read and written alike."""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.errors import InputError, MissingExtra, StorageError, UsageError, near_match
from tellapart.files import replacing, sha256_of, storage, write_bytes
from tellapart.files.writing import scratch_directory

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem  # type: ignore[import-untyped]

_EXTRAS = {"s3": "s3", "gs": "gcs"}
"""Optional dependencies by the scheme of an address."""

_AT_ONCE = 1 << 20

_PATTERNS = frozenset("*?[")


def is_remote(address: str) -> bool:
    """Whether an address is that of an object store, such as ``s3://bucket/name``."""
    return "://" in address


@dataclass(frozen=True)
class FileEntry:
    """A file of a folder.

    Attributes:
        name: Within the folder, with slashes.
        version: Differs where the content does, as far as the file system or the object store says.
    """

    name: str
    size_bytes: int
    version: str


@dataclass(frozen=True)
class Folder:
    """A folder here or in an object store; what is written is there whole or not at all.

    Attributes:
        address: A path, or ``s3://bucket/name``; credentials and the address of the server are those of the
            environment, as fsspec and its file systems read them.
    """

    address: str

    @property
    def is_remote(self) -> bool:
        """Whether it is in an object store."""
        return is_remote(self.address)

    @cached_property
    def _remote(self) -> AbstractFileSystem:
        scheme = self.address.partition("://")[0]
        if scheme not in _EXTRAS:
            raise UsageError(
                f"files at {self.address!r} cannot be read", next_step=near_match(scheme, _EXTRAS)
            )
        try:
            import fsspec

            # What other machines wrote a moment ago has to be seen.
            return fsspec.filesystem(scheme, use_listings_cache=False)
        except ImportError:
            raise MissingExtra(f"reading {scheme}://", _EXTRAS[scheme]) from None

    def address_of(self, name: str) -> str:
        """The address of a file in it, for messages too."""
        return f"{self.address.rstrip('/')}/{name}" if self.is_remote else str(Path(self.address, name))

    def child(self, name: str) -> Folder:
        """A folder in it."""
        return Folder(self.address_of(name))

    def files(self) -> list[FileEntry]:
        """All files in it and in its folders, by name; none where it is not there."""
        if self.is_remote:
            entries = self._remote_files()
        else:
            root = Path(self.address)
            entries = [
                FileEntry(path.relative_to(root).as_posix(), stat.st_size, str(stat.st_mtime_ns))
                for path in root.rglob("*")
                if path.is_file() and (stat := path.stat())
            ]
        # Paths have another order than names, and an eval is the same wherever it lies.
        return sorted(entries, key=lambda entry: entry.name)

    def _remote_files(self) -> list[FileEntry]:
        with _remote_errors(self.address):
            root = self._remote._strip_protocol(self.address).rstrip("/")
            listed: dict[str, Any] = self._remote.find(root, detail=True)
        # Some programs mark folders by objects whose names end in a slash.
        return [
            FileEntry(name.removeprefix(f"{root}/"), int(details["size"]), _version(details))
            for name, details in listed.items()
            if name != root and not name.endswith("/")
        ]

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        if not self.is_remote:
            return Path(self.address, name).is_file()
        # Not ``isfile``, which takes a server that does not answer for a file that is not there.
        with _remote_errors(self.address_of(name)):
            try:
                return bool(self._remote.info(self.address_of(name))["type"] == "file")
            except FileNotFoundError:
                return False

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        """Read a file, or ``length`` bytes of it from ``start`` on, fewer where it ends before."""
        if not self.is_remote:
            try:
                with Path(self.address, name).open("rb") as file:
                    file.seek(start)
                    return file.read(-1 if length is None else length)
            except OSError as error:
                raise InputError(
                    f"cannot read this file: {error.strerror}", where=self.address_of(name)
                ) from None
        with _remote_errors(self.address_of(name)):
            end = None if length is None else start + length
            # Of an empty range object stores give all bytes, and of one behind the end an error.
            if end == start:
                return b""
            try:
                return bytes(self._remote.cat_file(self.address_of(name), start=start or None, end=end))
            except OSError as error:
                if error.errno == errno.EINVAL and (start or end is not None):
                    return b""
                raise

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all."""
        if not self.is_remote:
            write_bytes(Path(self.address, name), data)
            return
        with _remote_errors(self.address_of(name)):
            self._remote.pipe_file(self.address_of(name), data)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Give a path of this machine whose file is in the folder when the block ends without an error."""
        if not self.is_remote:
            with replacing(Path(self.address, name)) as temporary:
                yield temporary
            return
        with scratch_directory("tellapart-part-") as directory:
            yield directory / "content"
            with _remote_errors(self.address_of(name)):
                self._remote.put_file(str(directory / "content"), self.address_of(name))

    def remove(self, name: str) -> None:
        """Remove a file, which may be gone already."""
        if not self.is_remote:
            with storage(Path(self.address, name)):
                Path(self.address, name).unlink(missing_ok=True)
            return
        with _remote_errors(self.address_of(name)), suppress(FileNotFoundError):
            self._remote.rm_file(self.address_of(name))

    def delete(self) -> None:
        """Remove it with all that is in it; nothing where it is not there."""
        if not self.is_remote:
            with storage(Path(self.address)):
                if Path(self.address).exists():
                    shutil.rmtree(self.address)
            return
        with _remote_errors(self.address), suppress(FileNotFoundError):
            names: list[str] = list(self._remote.find(self._remote._strip_protocol(self.address)))
            # Many at a time; but characters of patterns would stand for other names too.
            plain = [name for name in names if not _PATTERNS.intersection(name)]
            if plain:
                self._remote.rm(plain)
            for name in names:
                if _PATTERNS.intersection(name):
                    self._remote.rm_file(name)

    def sha256(self, name: str) -> str:
        """SHA-256 of a file, 64 hexadecimal digits, without holding it whole."""
        if not self.is_remote:
            return sha256_of(Path(self.address, name))
        digest = hashlib.sha256()
        with _remote_errors(self.address_of(name)), self._remote.open(self.address_of(name), "rb") as file:
            while piece := file.read(_AT_ONCE):
                digest.update(piece)
        return digest.hexdigest()

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """Give a file as one of this machine: itself, or a copy that goes with the block."""
        if not self.is_remote:
            yield Path(self.address, name)
            return
        with scratch_directory("tellapart-part-") as directory:
            # Readers go by the end of the name.
            copy = directory / Path(name).name
            with _remote_errors(self.address_of(name)):
                self._remote.get_file(self.address_of(name), str(copy))
            yield copy


def _version(details: Mapping[str, Any]) -> str:
    """What object stores call the state of a file: each has its own word for it."""
    return str(
        next((details[name] for name in ("ETag", "etag", "md5Hash", "LastModified") if name in details), "")
    )


@contextmanager
def _remote_errors(where: str) -> Iterator[None]:
    """Put what object stores raise, which differs from one to the next, into words."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("there is no such file or bucket in the object store", where=where) from None
    except PermissionError as error:
        raise StorageError(
            f"the object store refuses: {error}",
            where=where,
            next_step="Check the credentials in the environment",
        ) from None
    except (InputError, StorageError, UsageError, MissingExtra):
        raise
    except Exception as error:  # Every library behind fsspec has errors of its own.
        raise StorageError(
            f"the object store does not do what it should: {type(error).__name__}: {error}",
            where=where,
            next_step="Check its address and credentials in the environment, and run the same command again",
        ) from error
