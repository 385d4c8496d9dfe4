import hashlib
import json

import pytest

from tellapart.bundles.results import version_path
from tellapart.bundles.run import score
from tellapart.bundles.versions import extend, freeze, frozen_version
from tellapart.errors import FingerprintError, InputError, Refused, UsageError

ROWS = [
    {"bundle_id": f"b{i}", "anchor": f"red {i}", "positive": f"red fox {i}", "negatives": ["whale"]}
    | {"tier": tier}
    for i, tier in enumerate(["tier1", "tier1", "tier2_robust", "tier3"])
]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.jsonl"
    path.write_bytes(lines(ROWS[:3]))
    return path


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.jsonl"
    path.write_bytes(lines(ROWS))
    return path


def test_the_record_is_the_documented_one(old):
    freeze(old, "v24", seed=7)
    source_hash = hashlib.sha256(old.read_bytes()).hexdigest()[:16]
    record = json.loads(version_path(old).read_text())
    digest = record.pop("digest")
    tiers = {"tier1_easy": 2, "tier2_robust": 1, "tier3_adversarial": 0}
    named = {"version": "v24", "fingerprint": f"{source_hash}|7|3", "parent": None}
    made = {"source_hash": source_hash, "seed": 7, "item_count": 3, "tier_distribution": tiers}
    assert record == made | named
    assert digest == hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]
    assert version_path(old).name == "old.jsonl.version.json"


def test_freezing_the_same_bytes_again_changes_nothing(old):
    first = freeze(old, "v24")
    before = version_path(old).read_bytes()
    assert freeze(old, "v24") == first == frozen_version(old)
    assert version_path(old).read_bytes() == before
    for version, seed in (("v25", 42), ("v24", 43)):
        with pytest.raises(UsageError, match="already frozen as version 'v24' with seed 42"):
            freeze(old, version, seed=seed)


def test_a_changed_file_keeps_no_version(old):
    was = freeze(old, "v24").source_hash
    old.write_bytes(old.read_bytes().replace(b"whale", b"shark", 1))
    now = hashlib.sha256(old.read_bytes()).hexdigest()[:16]
    with pytest.raises(FingerprintError, match=f"'v24' with the hash {was}, and is now {now}"):
        freeze(old, "v24")


def test_score_takes_version_and_seed_from_the_record_and_holds_the_file_against_it(old, tmp_path):
    record = freeze(old, "v24", seed=7)
    header = score(old, tmp_path / "b.json", model="hashing").board.eval_header
    assert (header.version, header.seed, header.fingerprint) == ("v24", 7, record.fingerprint)
    with pytest.raises(UsageError, match="--seed is 42, but version 'v24' was frozen with seed 7"):
        score(old, tmp_path / "b.json", model="hashing", seed=42)
    old.write_bytes(old.read_bytes() + b"\n")
    with pytest.raises(FingerprintError, match="frozen as version 'v24'"):
        score(old, tmp_path / "b.json", model="hashing")


def test_an_extension_names_its_parent(old, new):
    with pytest.raises(UsageError, match="not frozen.*tellapart bundles freeze"):
        extend(old, new, "v25")
    before = freeze(old, "v24", seed=7)
    after = extend(old, new, "v25")
    assert after.parent.model_dump() == {"version": "v24", "fingerprint": before.fingerprint, "item_count": 3}
    assert (after.seed, after.item_count, after.tier_distribution["tier3_adversarial"]) == (7, 4, 1)
    assert frozen_version(new) == after
    assert extend(old, new, "v25") == after
    with pytest.raises(FingerprintError, match="another record here: version 'v25'"):
        extend(old, new, "v26")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda data: data.replace(b"red 1", b"red 9"), 2),
        (lambda data: lines([ROWS[0], ROWS[2], ROWS[1], ROWS[3]]), 2),
        (lambda data: data.replace(b"\n", b"\r\n"), 1),
        (lambda data: lines(ROWS[:2]), 3),
    ],
)
def test_a_changed_moved_or_missing_line_is_named(old, new, change, line):
    freeze(old, "v24")
    new.write_bytes(change(new.read_bytes()))
    with pytest.raises(Refused, match=f"the frozen line {line} of .* is (missing|not here)") as refused:
        extend(old, new, "v25")
    assert refused.value.where == f"{new}:{line}"
    assert not version_path(new).exists()


def test_parquet_cannot_grow(old, new):
    freeze(old, "v24")
    new.write_bytes(b"PAR1" + new.read_bytes())
    with pytest.raises(InputError, match="this file is Parquet"):
        extend(old, new, "v25")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"version": "v24"', '"version": "q24"'),
        ('"tier1_easy": 2', '"tier1_easy": 3'),
        ('"parent": null', '"parent": {"version": "v1", "fingerprint": "a|42|1", "item_count": 1}'),
        ('"digest": "', '"digest": "0'),
    ],
)
def test_a_record_of_which_any_field_was_changed_is_refused(old, new, before, after):
    freeze(old, "v24")
    text = version_path(old).read_text()
    version_path(old).write_text(text.replace(before, after))
    for use in (frozen_version, lambda eval_path: extend(eval_path, new, "v25")):
        with pytest.raises(FingerprintError, match="this record was changed: its digest is "):
            use(old)


def test_a_record_without_a_digest_is_read_as_one_with_it(old, new):
    freeze(old, "v24")
    after = extend(old, new, "v25")
    record = json.loads(version_path(new).read_text())
    record.pop("digest")
    version_path(new).write_text(json.dumps(record))
    assert frozen_version(new) == extend(old, new, "v25") == after


def test_a_record_edited_by_hand(old):
    freeze(old, "v24")
    place = version_path(old)
    text = place.read_text()
    place.write_text(text.replace('"seed": 42', '"seed": 43'))
    with pytest.raises(FingerprintError, match="is not that of its parts"):
        frozen_version(old)
    place.write_text(text.replace('"seed"', '"sead"'))
    with pytest.raises(InputError, match=r"not a valid version record: 2 fields.*\n'seed' is missing"):
        frozen_version(old)
