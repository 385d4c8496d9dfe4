"""Frozen evals: a version names a file's bytes, and a new version only adds lines to the one before."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from itertools import zip_longest
from pathlib import Path

from tellapart.bundles.reading import read_batches
from tellapart.bundles.results import version_path
from tellapart.bundles.tier_names import TIERS
from tellapart.core.fingerprint import Fingerprint, sha256_of_json
from tellapart.core.record import Record
from tellapart.core.seed import SEED
from tellapart.errors import FingerprintError, InputError, Refused, UsageError
from tellapart.files import RowFaults, cannot_read, sha256_of, write_json
from tellapart.store import load_record

_MEND = "Restore the record from a copy, or freeze the eval again under another version"


class Parent(Record):
    """The version that a version extends."""

    version: str
    fingerprint: str
    item_count: int


class VersionRecord(Record):
    """What a version of an eval is; ``parent`` is the version whose items are the first of this one's.

    ``digest`` is that of all other fields; a record that was written without it is read too.

    Source:
        "Crucible Metrics Reference", Fingerprint Components; what comes after ``version`` is ours.
    """

    source_hash: str
    seed: int
    item_count: int
    tier_distribution: dict[str, int]
    version: str
    fingerprint: str
    parent: Parent | None = None
    digest: str | None = None

    def with_digest(self) -> VersionRecord:
        """Give the same record with the digest that its fields have."""
        return self.model_copy(update={"digest": sha256_of_json(self.model_dump(exclude={"digest"}))[:16]})


def freeze(eval_path: Path, version: str, *, seed: int = SEED) -> VersionRecord:
    """Write the version record of an eval; freezing the same bytes again changes nothing."""
    _check_name(version)
    record_beside = frozen_version(eval_path)
    if record_beside is not None:
        if (record_beside.version, record_beside.seed) != (version, seed):
            raise UsageError(
                f"already frozen as version {record_beside.version!r} with seed {record_beside.seed}, "
                f"now requested: {version!r} with seed {seed}",
                where=eval_path,
                next_step="A file keeps its version: leave it, or put what is new into another file and use "
                "'tellapart bundles extend'",
            )
        return record_beside
    record = _describe(eval_path, sha256_of(eval_path)[:16], version, seed, None)
    write_json(version_path(eval_path), record.model_dump())
    return record


def extend(old: Path, new: Path, version: str, *, out: Path | None = None) -> VersionRecord:
    """Write the version record of an eval that adds to a frozen one; the same again changes nothing."""
    _check_name(version)
    before = frozen_version(old)
    if before is None:
        raise UsageError(
            "this eval is not frozen",
            where=old,
            next_step=f"Freeze it first: tellapart bundles freeze {old} --version NAME",
        )
    if before.version == version:
        raise UsageError(f"{version!r} is the version of {old} already", next_step="Choose another --version")
    source_hash = check_appended(old, new)[:16]
    parent = Parent(version=before.version, fingerprint=before.fingerprint, item_count=before.item_count)
    record = _describe(new, source_hash, version, before.seed, parent)
    record_path = out or version_path(new)
    if record_path.exists():
        other = read_version(record_path)
        if other != record:
            raise FingerprintError(
                f"there is another record here: version {other.version!r}, {other.fingerprint}; "
                f"now {version!r}, {record.fingerprint}",
                where=record_path,
                next_step="Choose another --out, or another file for the new version",
            )
        return other
    write_json(record_path, record.model_dump())
    return record


def frozen_version(eval_path: Path) -> VersionRecord | None:
    """Find the record of an eval and hold the file against it."""
    record_path = version_path(eval_path)
    if not os.path.lexists(record_path):
        return None
    record, source_hash = read_version(record_path), sha256_of(eval_path)[:16]
    if source_hash != record.source_hash:
        raise FingerprintError(
            f"this file was frozen as version {record.version!r} with the hash {record.source_hash}, "
            f"and is now {source_hash}",
            where=eval_path,
            next_step="Put the frozen file back; to add to it, write a new file and use "
            "'tellapart bundles extend OLD NEW --version NAME'",
        )
    return record


def read_version(path: Path) -> VersionRecord:
    """Read a version record."""
    record = load_record(path, VersionRecord, "version record", next_step=_MEND)
    composed = str(Fingerprint(record.source_hash, record.seed, record.item_count))
    if record.fingerprint != composed:
        raise FingerprintError(
            f"the fingerprint {record.fingerprint!r} is not that of its parts, {composed!r}",
            where=path,
            next_step=_MEND,
        )
    whole = record.with_digest()
    if record.digest not in (None, whole.digest):
        raise FingerprintError(
            f"this record was changed: its digest is {record.digest!r}, that of its fields {whole.digest!r}",
            where=path,
            next_step=_MEND,
        )
    return whole


def _check_name(version: str) -> None:
    if not version.strip():
        raise UsageError(f"the version is {version!r}, expected a name such as 'v24'")


def _describe(
    eval_path: Path, source_hash: str, version: str, seed: int, parent: Parent | None
) -> VersionRecord:
    problems = RowFaults(eval_path)
    tiers: Counter[str | None] = Counter()
    for batch in read_batches(eval_path, problems):
        tiers.update(batch["tier"].to_list())
    problems.refuse(next_step="Fix them: an eval with bad rows cannot be frozen")
    return VersionRecord(
        source_hash=source_hash,
        seed=seed,
        item_count=tiers.total(),
        tier_distribution={tier: tiers[tier] for tier in TIERS},
        version=version,
        fingerprint=str(Fingerprint(source_hash, seed, tiers.total())),
        parent=parent,
    ).with_digest()


def check_appended(old: Path, new: Path) -> str:
    """Hold two JSON Lines files against each other line by line, and give the SHA-256 of the second.

    The last line of ``old`` may lack its line end; every other byte counts.
    """
    added, digest = 0, hashlib.sha256()
    try:
        with old.open("rb") as first, new.open("rb") as second:
            for number, (before, after) in enumerate(zip_longest(first, second), start=1):
                if number == 1:
                    _check_lines(old, before)
                    _check_lines(new, after)
                digest.update(after or b"")
                if before is None:
                    added += bool(after.strip())
                elif after is None or before.removesuffix(b"\n") != after.removesuffix(b"\n"):
                    gone = "is missing" if after is None else "is not here as it was, byte for byte"
                    raise Refused(
                        f"the frozen line {number} of {old} {gone}",
                        where=f"{new}:{number}",
                        next_step="Frozen items stay as they are: put them back, and add new ones at the end",
                    )
    except OSError as error:
        raise cannot_read(Path(error.filename), error) from None
    if not added:
        raise UsageError(f"nothing was added to {old}", where=new)
    return digest.hexdigest()


def _check_lines(path: Path, start: bytes | None) -> None:
    if (start or b"").startswith(b"PAR1"):
        raise InputError(
            "this file is Parquet, of which nearly every byte changes when a row is added, so nobody can "
            "see that the earlier rows are the same",
            where=path,
            next_step="Keep evals that grow as JSON Lines: tellapart bundles convert",
        )
