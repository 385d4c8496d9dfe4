"""Capsules: one directory with an eval, what models scored on it, and the checkpoint, each by its hash."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tellapart.bundles.result_files import read_results
from tellapart.bundles.results import (
    CapsuleBoard,
    CapsuleCheck,
    CapsuleCheckpoint,
    CapsuleFile,
    CapsuleManifest,
    ChangedFile,
    scores_path,
    version_path,
)
from tellapart.bundles.scoreboards import load_scored
from tellapart.bundles.versions import frozen_version
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.errors import InputError, Refused, UsageError
from tellapart.files import replacing, sha256_of, write_json
from tellapart.store import load_record, parts
from tellapart.store.growing import filling, tidy

MANIFEST = "capsule.json"


@dataclass(frozen=True)
class CapsuleRequest:
    """What goes into a capsule.

    Attributes:
        out: The directory, which must not be there.
        evals: Evals, with their version records where they are frozen.
        scoreboards: Of these evals, each with its scores; or recorded by other programs.
        checkpoint: A file or directory; None for none.
        settings: Further files, such as the configuration of the training.
        copies_checkpoint: Whether the checkpoint is copied; else the capsule has its hash alone.
    """

    out: Path
    evals: tuple[Path, ...]
    scoreboards: tuple[Path, ...]
    checkpoint: Path | None = None
    settings: tuple[Path, ...] = ()
    copies_checkpoint: bool = True


def make_capsule(request: CapsuleRequest, progress: Progress = SILENT) -> CapsuleManifest:
    """Copy everything that belongs together into one directory, whole or not at all."""
    out = request.out
    if out.exists():
        tidy(out)
        raise UsageError("this path is already in use", where=out, next_step="Choose another OUT")
    if not request.evals or not request.scoreboards:
        raise UsageError("a capsule needs an eval and a scoreboard: give --eval and --scoreboard")
    sources, boards = _sources(request)
    with filling(out, "capsule") as directory:
        files = [
            _copied(source, directory, place, role)
            for source, place, role in counted(sources, progress, "copying", unit="files")
        ]
        manifest = _manifest(request, directory, files, boards)
        write_json(directory / MANIFEST, manifest.model_dump(mode="json"))
    return manifest


Source = tuple[Path, str, str]
"""A file, where it goes inside the capsule, and its role."""


def _sources(request: CapsuleRequest) -> tuple[list[Source], list[CapsuleBoard]]:
    sources: list[Source] = []
    eval_of: dict[str, str] = {}
    for path in request.evals:
        frozen, place = frozen_version(path), f"evals/{path.name}"
        eval_of[frozen.source_hash if frozen else sha256_of(path)[:16]] = place
        sources.append((path, place, "eval"))
        if frozen:
            sources.append((version_path(path), f"evals/{version_path(path).name}", "version"))
    boards = [_board(path, eval_of) for path in request.scoreboards]
    for path in request.scoreboards:
        sources.append((path, f"scoreboards/{path.name}", "scoreboard"))
        beside = scores_path(path)
        if beside.is_dir():
            files = [beside / parts.MANIFEST, *parts.part_paths(beside)]
            sources += [(file, f"scoreboards/{beside.name}/{file.name}", "scores") for file in files]
        elif beside.exists():
            sources.append((beside, f"scoreboards/{beside.name}", "scores"))
    if request.checkpoint is not None and request.copies_checkpoint:
        name = request.checkpoint.resolve().name
        sources += [
            (path, f"checkpoint/{name}/{inside}" if inside else f"checkpoint/{name}", "checkpoint")
            for path, inside in _files_of(request.checkpoint)
        ]
    sources += [(path, f"settings/{path.name}", "settings") for path in request.settings]
    first_at: dict[str, Path] = {}
    for path, place, _ in sources:
        if place in first_at:
            raise UsageError(
                f"{first_at[place]} and this file would both be {place!r} in the capsule",
                where=path,
                next_step="Rename one of them",
            )
        first_at[place] = path
    return sorted(sources, key=lambda source: source[1]), sorted(boards, key=lambda board: board.path)


def _board(path: Path, eval_of: dict[str, str]) -> CapsuleBoard:
    place = f"scoreboards/{path.name}"
    file = read_results(path)
    if file.recorded is not None:
        runs, fingerprint = file.recorded.runs, file.recorded.fingerprint
        source = fingerprint.partition("|")[0]
        if source and source not in eval_of:
            raise _foreign(path, f"an eval with EVAL_FINGERPRINT: {fingerprint}", eval_of)
        model = runs[0].condition if len(runs) == 1 else None
        return CapsuleBoard(path=place, model=model, fingerprint=fingerprint, eval=eval_of.get(source))
    if file.board is None:
        raise InputError("this is no scoreboard", where=path)
    header = load_scored(path).board.eval_header
    if header.source_hash not in eval_of:
        what = f"{header.eval_path} with EVAL_FINGERPRINT: {header.fingerprint}"
        raise _foreign(path, what, eval_of)
    return CapsuleBoard(
        path=place,
        model=file.board.model,
        fingerprint=header.fingerprint,
        eval=eval_of[header.source_hash],
    )


def _foreign(path: Path, what: str, eval_of: Mapping[str, str]) -> Refused:
    scored = next(iter(eval_of.values())).removeprefix("evals/")
    return Refused(
        f"this scoreboard is of {what}, and no --eval has its bytes",
        where=path,
        next_step=f"Add that eval with --eval, or score yours: tellapart bundles score {scored} --model NAME "
        "--out FILE.json",
    )


def _copied(source: Path, directory: Path, place: str, role: str) -> CapsuleFile:
    target = directory / place
    try:
        source.open("rb").close()
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=source) from None
    with replacing(target) as copy:
        shutil.copyfile(source, copy)
    # The hash is that of the copy: what the capsule holds, even if the source changes meanwhile.
    return CapsuleFile.model_validate(
        {"path": place, "role": role, "sha256": sha256_of(target), "bytes": target.stat().st_size}
    )


def _manifest(
    request: CapsuleRequest, directory: Path, files: Sequence[CapsuleFile], boards: Sequence[CapsuleBoard]
) -> CapsuleManifest:
    checkpoint = None
    if request.checkpoint is not None:
        place = f"checkpoint/{request.checkpoint.resolve().name}" if request.copies_checkpoint else None
        checkpoint = checkpoint_record(directory / place if place else request.checkpoint)
        checkpoint = checkpoint.model_copy(update={"path": place})
    manifest = CapsuleManifest(
        fingerprint="", scoreboards=tuple(boards), checkpoint=checkpoint, files=tuple(files)
    )
    return manifest.model_copy(update={"fingerprint": _fingerprint(manifest)})


def _fingerprint(manifest: CapsuleManifest) -> str:
    return sha256(canonical_json(manifest.model_dump(mode="json", exclude={"fingerprint"})))


def checkpoint_record(path: Path) -> CapsuleCheckpoint:
    """Hash a checkpoint, a file or a directory; times and rights of files change nothing."""
    files = list(_files_of(path))
    digests = {inside: sha256_of(file) for file, inside in files}
    whole = digests[""] if list(digests) == [""] else sha256(canonical_json(digests))
    return CapsuleCheckpoint(
        name=path.resolve().name,
        sha256=whole,
        files=len(files),
        bytes=sum(file.stat().st_size for file, _ in files),
        path=None,
    )


def _files_of(path: Path) -> Iterator[tuple[Path, str]]:
    """Files of a checkpoint with their paths inside it, sorted; a file alone has the path ""."""
    if path.is_file():
        yield path, ""
        return
    if not path.is_dir():
        raise InputError("there is no such file or directory", where=path)
    places = sorted(_below(path), key=PurePosixPath.as_posix)
    if not places:
        raise InputError("this directory has no file", where=path)
    for place in places:
        yield path / place, place.as_posix()


def _below(directory: Path) -> Iterator[PurePosixPath]:
    """Paths of all files below a directory; links to files are followed, those to directories refused."""
    for folder, folders, names in os.walk(directory):
        for name in folders:
            if (Path(folder) / name).is_symlink():
                raise InputError(
                    "this is a link to a directory, which could lead anywhere",
                    where=Path(folder) / name,
                    next_step="Put the files themselves there",
                )
        for name in names:
            yield PurePosixPath((Path(folder) / name).relative_to(directory).as_posix())


def verify_capsule(
    capsule: Path, checkpoint: Path | None = None, progress: Progress = SILENT
) -> CapsuleCheck:
    """Hold every file of a capsule against its hash, wherever the capsule is now."""
    manifest = _read_manifest(capsule)
    missing, changed = [], []
    for file in counted(manifest.files, progress, "verifying", unit="files"):
        place = capsule / file.path
        if not place.is_file():
            missing.append(file.path)
        elif (found := sha256_of(place)) != file.sha256:
            changed.append(ChangedFile(path=file.path, expected=file.sha256, found=found))
    recorded = {file.path for file in manifest.files}
    present = {place.as_posix() for place in _below(capsule)} - {MANIFEST}
    checked, not_checked = len(manifest.files) - len(missing), []
    apart = manifest.checkpoint
    if checkpoint is not None:
        if apart is None:
            raise UsageError(
                "this capsule records no checkpoint", where=capsule, next_step="Leave --checkpoint out"
            )
        found = checkpoint_record(checkpoint).sha256
        checked += 1
        if found != apart.sha256:
            changed.append(ChangedFile(path=str(checkpoint), expected=apart.sha256, found=found))
    elif apart is not None and apart.path is None:
        not_checked.append(f"the checkpoint {apart.name!r} is not in the capsule; give it with --checkpoint")
    added = sorted(present - recorded)
    return CapsuleCheck(
        capsule=str(capsule),
        fingerprint=manifest.fingerprint,
        intact=not (missing or changed or added),
        checked=checked,
        missing=tuple(missing),
        changed=tuple(changed),
        added=tuple(added),
        not_checked=tuple(not_checked),
    )


def _read_manifest(capsule: Path) -> CapsuleManifest:
    path = capsule / MANIFEST
    if not path.is_file():
        raise InputError(
            f"there is no capsule here: {MANIFEST} is missing",
            where=capsule,
            next_step="Make one with 'tellapart bundles capsule OUT --eval EVAL --scoreboard FILE.json'",
        )
    restore = "Restore it from a copy, or make the capsule again"
    try:
        manifest = load_record(path, CapsuleManifest, "capsule")
    except InputError as error:
        raise Refused(
            f"the manifest was changed or damaged after it was written: {error.what}",
            where=path,
            next_step=restore,
        ) from None
    for file in manifest.files:
        place = PurePosixPath(file.path)
        if place.is_absolute() or ".." in place.parts:
            raise InputError(f"{file.path!r} leads out of the capsule", where=path)
    found = _fingerprint(manifest)
    if found != manifest.fingerprint:
        raise Refused(
            f"the manifest was changed after it was written: its fingerprint is {manifest.fingerprint}, and "
            f"its content gives {found}",
            where=path,
            next_step=restore,
        )
    return manifest
