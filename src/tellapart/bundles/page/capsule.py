"""Capsules in a terminal: what is in one, and what became of it."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.results import CapsuleCheck, CapsuleManifest
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, table
from tellapart.report.terminal import fitted_table, rich_list


def manifest(made: CapsuleManifest) -> list[RenderableType]:
    """Show the files by role, the scoreboards and the fingerprint."""
    rows: list[list[Cell | str]] = [
        [file.path, file.role, show.count(file.bytes), file.sha256[:16]] for file in made.files
    ]
    lines = [f"CAPSULE_FINGERPRINT: {made.fingerprint}"]
    if made.checkpoint is not None and made.checkpoint.path is None:
        lines.append(f"checkpoint {made.checkpoint.name}, not copied: {made.checkpoint.sha256}")
    headings = ["File", "Role", "Bytes", "SHA-256"]
    return [
        fitted_table(table("files", "Files of the capsule", headings, rows, words=2)),
        Text("\n".join(lines)),
    ]


def check(found: CapsuleCheck) -> list[RenderableType]:
    """Say whether the capsule is what was written, then every difference."""
    differences = [
        *(f"missing: {path}" for path in found.missing),
        *(
            f"changed: {one.path} (SHA-256 {one.expected[:16]}… recorded, {one.found[:16]}… now)"
            for one in found.changed
        ),
        *(f"added: {path}" for path in found.added),
    ]
    files = show.plural(found.checked, "hash").replace("hashs", "hashes")
    if found.intact:
        headline = f"Intact: {files} compared, nothing is missing, changed or added."
    else:
        counts = {"missing": found.missing, "changed": found.changed, "added": found.added}
        parts = [f"{show.count(len(of))} {what}" for what, of in counts.items() if of]
        headline = f"Not what was recorded: {show.listed(parts)}; {files} compared."
    apart = [f"Not compared: {one}." for one in found.not_checked]
    lines = [f"CAPSULE_FINGERPRINT: {found.fingerprint}", *differences, *apart]
    return [Text(headline, style="bold"), rich_list(lines)]
