"""Folders of files, on this machine or in an object store, read and written alike."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tellapart.errors import InputError, MissingExtra, StorageError, TellapartError, UsageError, near_match
from tellapart.files import replacing, sha256_of, storage
from tellapart.files.writing import scratch_directory

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem  # type: ignore[import-untyped]

_EXTRAS = {"s3": "s3", "gs": "gcs"}
"""Optional dependencies by the scheme of an address."""

_AT_ONCE = 1 << 20


def is_remote(address: str) -> bool:
    """Whether an address is that of an object store, such as ``s3://bucket/name``."""
    return "://" in address


class FileEntry(NamedTuple):
    """A file of a folder.

    Attributes:
        name: Within the folder, with slashes.
        version: Changes with the content, as far as the file system or the object store says.
    """

    name: str
    size_bytes: int
    version: str


@dataclass(frozen=True)
class Folder:
    """A folder here or in an object store; a file that is written is there whole or not at all.

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
    def _store(self) -> AbstractFileSystem:
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
        return sorted(entries)

    def _remote_files(self) -> list[FileEntry]:
        with _remote_errors(self.address):
            root = self._store._strip_protocol(self.address).rstrip("/")
            listed: dict[str, Any] = self._store.find(root, detail=True)
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
                return bool(self._store.info(self.address_of(name))["type"] == "file")
            except FileNotFoundError:
                return False

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
                self._store.put_file(str(directory / "content"), self.address_of(name))

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        with self.writing(name) as path:
            path.write_bytes(data)

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
                self._store.get_file(self.address_of(name), str(copy))
            yield copy

    def read(self, name: str) -> bytes:
        """Read a file."""
        try:
            with self.local(name) as path:
                return path.read_bytes()
        except OSError as error:
            raise InputError(
                f"cannot read this file: {error.strerror}", where=self.address_of(name)
            ) from None

    def remove(self, name: str) -> None:
        """Remove a file, which may be gone already."""
        if not self.is_remote:
            with storage(Path(self.address, name)):
                Path(self.address, name).unlink(missing_ok=True)
            return
        with _remote_errors(self.address_of(name)), suppress(FileNotFoundError):
            self._store.rm_file(self.address_of(name))

    def delete(self) -> None:
        """Remove it with all that is in it; nothing where it is not there."""
        if self.is_remote:
            for entry in self.files():
                self.remove(entry.name)
        elif Path(self.address).exists():
            with storage(Path(self.address)):
                shutil.rmtree(self.address)

    def sha256(self, name: str) -> str:
        """SHA-256 of a file, 64 hexadecimal digits, without holding it whole."""
        if not self.is_remote:
            return sha256_of(Path(self.address, name))
        digest = hashlib.sha256()
        with _remote_errors(self.address_of(name)), self._store.open(self.address_of(name), "rb") as file:
            while piece := file.read(_AT_ONCE):
                digest.update(piece)
        return digest.hexdigest()


def _version(details: Mapping[str, Any]) -> str:
    """What object stores call the state of a file: each has its own word for it."""
    names = ("ETag", "etag", "md5Hash", "LastModified")
    return str(next((details[name] for name in names if name in details), ""))


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
    except TellapartError:
        raise
    except Exception as error:  # Every library behind fsspec has errors of its own.
        raise StorageError(
            f"the object store does not do what it should: {type(error).__name__}: {error}",
            where=where,
            next_step="Check its address and credentials in the environment, and run the same command again",
        ) from error
