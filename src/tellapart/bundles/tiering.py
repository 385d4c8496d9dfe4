"""An eval written anew, with a tier for each bundle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tellapart.bundles.reading import Problems, read_bundles
from tellapart.store import replacing


def write_tiers(eval_path: Path, out: Path, tiers: Mapping[str, str]) -> None:
    """Copy an eval bundle by bundle, whole or not at all.

    Args:
        eval_path: In any form that ``read_batches`` takes.
        out: JSON Lines in our own form: all that an eval says of a bundle, with its tier.
        tiers: By ``bundle_id``; a bundle that is not there is left out.

    Raises:
        InputError: The eval cannot be read.
        StorageError: The disk is full or closed to us.
    """
    with replacing(out) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for bundle in read_bundles(eval_path, Problems(eval_path)):
            if bundle.bundle_id in tiers:
                row = replace(bundle, tier=tiers[bundle.bundle_id]).to_row()
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
