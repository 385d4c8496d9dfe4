"""Files of people and their programs: read one way, with faults that name their place; written whole."""

from typing import TYPE_CHECKING

from tellapart.files.reading import (
    Fault,
    JsonError,
    as_object,
    as_objects,
    cannot_read,
    decode,
    first_row,
    head,
    parse_json,
    part,
    read_bytes,
    read_json,
    read_json_objects,
    read_object,
    read_text,
    refuse_foreign,
    texts_of,
    whole_number,
)
from tellapart.files.row_faults import RowFaults
from tellapart.files.writing import (
    as_json,
    cannot_write,
    is_stream,
    make_directory,
    replaced_file,
    replacing,
    sha256_of,
    storage,
    sync_directory,
    write_bytes,
    write_json,
    write_text,
)
from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.files.records import Words, check_record, expected_of, first_fault

__all__ = [
    "Fault", "JsonError", "RowFaults", "Words", "as_json", "as_object", "as_objects", "cannot_read",
    "cannot_write", "check_record", "decode", "expected_of", "first_fault", "first_row", "head", "is_stream",
    "make_directory", "parse_json", "part", "read_bytes", "read_json", "read_json_objects", "read_object",
    "read_text", "refuse_foreign", "replaced_file", "replacing", "sha256_of", "storage", "sync_directory",
    "texts_of", "whole_number", "write_bytes", "write_json", "write_text",
]  # fmt: skip

# Records need pydantic, which takes long to import.
__getattr__ = names_from(__name__, __all__, "records")
