"""Folders of files on this machine or in an object store: the files of an eval, and where results go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tellapart.errors import InputError, MissingExtra, StorageError, TellapartError, UsageError, near_match
from tellapart.files import replacing
from tellapart.files.writing import scratch_directory

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem  # type: ignore[import-untyped]

_EXTRAS = {"s3": "s3", "gs": "gcs"}
"""Optional dependencies by the scheme of an address."""

ENDINGS = (".jsonl", ".ndjson", ".json", ".parquet", ".csv", ".tsv")
"""Endings of the files of an eval; a folder may hold others, such as ``_SUCCESS``."""


def is_remote(address: str) -> bool:
    """Whether an address is that of an object store, such as ``s3://bucket/name``."""
    return "://" in address


class FileEntry(NamedTuple):
    """A file of a folder; its name has slashes where it lies in a folder of the folder."""

    name: str
    size_bytes: int


@dataclass(frozen=True)
class Folder:
    """A folder here or ``s3://bucket/name``; a file that is written is there whole or not at all."""

    address: str

    @property
    def _is_remote(self) -> bool:
        return is_remote(self.address)

    @cached_property
    def _store(self) -> AbstractFileSystem:
        scheme = self.address.partition("://")[0]
        try:
            import fsspec

            return fsspec.filesystem(scheme, use_listings_cache=False)
        except ImportError:
            raise MissingExtra(f"reading {scheme}://", _EXTRAS[scheme]) from None

    def address_of(self, name: str) -> str:
        """The address of a file in it, for messages too."""
        return f"{self.address.rstrip('/')}/{name}" if self._is_remote else str(Path(self.address, name))

    def files(self) -> list[FileEntry]:
        """All files in it and in its folders, by name; none if it does not exist."""
        if self._is_remote:
            with _remote_errors(self.address):
                root = self._store._strip_protocol(self.address).rstrip("/")
                listed = self._store.find(root, detail=True)
            # Some programs mark folders by objects whose names end in a slash.
            entries = [
                FileEntry(name.removeprefix(f"{root}/"), int(details["size"]))
                for name, details in listed.items()
                if name != root and not name.endswith("/")
            ]
        else:
            root = Path(self.address)
            paths = [path for path in root.rglob("*") if path.is_file()]
            entries = [FileEntry(path.relative_to(root).as_posix(), path.stat().st_size) for path in paths]
        # Paths have another order than names, and an eval is the same wherever it lies.
        return sorted(entries)

    def size_of(self, name: str) -> int | None:
        """Bytes of a file; None if it does not exist."""
        if not self._is_remote:
            path = Path(self.address, name)
            return path.stat().st_size if path.is_file() else None
        with _remote_errors(self.address_of(name)):
            try:
                details = self._store.info(self.address_of(name))
            except FileNotFoundError:
                return None
        return int(details["size"]) if details["type"] == "file" else None

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """Give a file as one of this machine: itself, or a copy that is removed with the block."""
        if not self._is_remote:
            yield Path(self.address, name)
            return
        with scratch_directory("tellapart-part-") as directory:
            # Readers go by the end of the name.
            copy = directory / Path(name).name
            with _remote_errors(self.address_of(name)):
                self._store.get_file(self.address_of(name), str(copy))
            try:
                yield copy
            except InputError as error:
                where = self.address_of(name) if error.where == str(copy) else error.where
                raise type(error)(error.what, where=where, next_step=error.next_step) from None

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Give a path on this machine; what is written there is the file's content when the block ends."""
        if not self._is_remote:
            with replacing(Path(self.address, name)) as temporary:
                yield temporary
            return
        with scratch_directory("tellapart-output-") as directory:
            yield directory / "content"
            with _remote_errors(self.address_of(name)):
                self._store.put_file(str(directory / "content"), self.address_of(name))


@contextmanager
def _remote_errors(where: str) -> Iterator[None]:
    """Put what object stores raise, which differs from one to the next, into words."""
    try:
        yield
    except TellapartError:
        raise
    except FileNotFoundError:
        raise InputError("there is no such file or bucket in the object store", where=where) from None
    except Exception as error:  # Every library behind fsspec has errors of its own.
        raise StorageError(
            f"the object store fails: {type(error).__name__}: {error}",
            where=where,
            next_step="Check its address and credentials in the environment, and run the same command again",
        ) from error


@dataclass(frozen=True)
class EvalFiles:
    """The files of an eval, in the order of their names; ``is_folder`` if the user named one."""

    address: str
    folder: Folder
    files: tuple[FileEntry, ...]
    is_folder: bool

    def label(self, file: int) -> str:
        """What messages call a file."""
        return self.folder.address_of(self.files[file].name)


def place_of(address: str) -> tuple[Folder, str]:
    """The folder of a file and its name, which is empty for a bucket or a name that ends in a slash."""
    if not is_remote(address):
        return Folder(str(Path(address).parent)), Path(address).name
    scheme, _, place = address.partition("://")
    if scheme not in _EXTRAS:
        raise UsageError(f"{address!r} is in no object store here", next_step=near_match(scheme, _EXTRAS))
    bucket, _, key = place.partition("/")
    head, _, name = key.rpartition("/")
    return Folder(f"{scheme}://{bucket}/{head}".rstrip("/")), name


def eval_files(address: str) -> EvalFiles:
    """Find the files of an eval: those of a folder, or a single one."""
    folder, name = place_of(address.rstrip("/") if is_remote(address) else address)
    size_bytes = folder.size_of(name) if name else None
    if size_bytes is not None:
        return EvalFiles(address, folder, (FileEntry(name, size_bytes),), is_folder=False)
    folder = Folder(address)
    # Other programs write empty parts; there is nothing in them to be wrong.
    parts = tuple(entry for entry in folder.files() if _is_part(entry.name) and entry.size_bytes)
    if not parts:
        raise InputError(
            "there are no files of bundles here",
            where=address,
            next_step=f"Give a folder with files that end in {', '.join(ENDINGS)}",
        )
    return EvalFiles(address, folder, parts, is_folder=True)


def _is_part(name: str) -> bool:
    return (
        name.endswith(ENDINGS)
        and not name.endswith(".version.json")
        and not any(part.startswith((".", "_")) for part in name.split("/"))
    )
