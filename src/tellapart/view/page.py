"""A comparison as a page of its own, to be sent to others: the audit of the same scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from tellapart.audit.options import AuditOptions
from tellapart.audit.page.sections import document
from tellapart.audit.reading_settings import ReadingSettings
from tellapart.audit.run import audit_reading
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.report.page import html_document
from tellapart.store import ItemText
from tellapart.view.folder import Entry
from tellapart.view.loaded import read


def audit_page(
    entries: Sequence[Entry],
    models: Sequence[str],
    excluded: frozenset[str],
    settings: ComparisonSettings,
    texts: Mapping[str, tuple[ItemText, ...]],
    reading_settings: ReadingSettings,
) -> str:
    """Audit the scores of entries."""
    reading = read(entries, reading_settings)
    left_out = pl.col("item").is_in(list(excluded))
    frame = reading.table.frame
    gone = frame.filter(left_out)["item"].n_unique()
    kept = frame.filter(pl.col("model").is_in(list(models)) & ~left_out)
    notes = reading.table.notes.model_copy(update={"excluded": gone})
    table = replace(reading.table, frame=kept, notes=notes)
    options = AuditOptions(
        by=settings.by, baseline=settings.baseline, primary=settings.primary, sesoi=settings.sesoi
    )
    findings = audit_reading(replace(reading, table=table), options)
    return html_document(document(findings, texts=texts))
