"""Files of people and their programs: read one way, with faults that name their place; written whole."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.files.disks import cannot_write, make_directory, storage, sync_directory
    from tellapart.files.json_objects import (
        as_objects,
        first_row,
        head,
        part,
        read_json_objects,
        texts_of,
        whole_number,
    )
    from tellapart.files.json_text import (
        BYTE_ORDER_MARK,
        DEEPEST,
        Fault,
        JsonError,
        decode,
        parse_json,
        refuse_foreign,
    )
    from tellapart.files.reading import (
        JsonLine,
        as_object,
        read_bytes,
        read_json,
        read_json_lines,
        read_object,
        read_text,
    )
    from tellapart.files.records import Words, check_numbers, check_record, expected_of, first_fault
    from tellapart.files.row_faults import RowFaults
    from tellapart.files.writing import (
        as_json,
        is_stream,
        replaced_file,
        replacing,
        sha256_of,
        write_bytes,
        write_json,
        write_text,
    )

__all__ = [
    "BYTE_ORDER_MARK",
    "DEEPEST",
    "Fault",
    "JsonError",
    "JsonLine",
    "RowFaults",
    "Words",
    "as_json",
    "as_object",
    "as_objects",
    "cannot_write",
    "check_numbers",
    "check_record",
    "decode",
    "expected_of",
    "first_fault",
    "first_row",
    "head",
    "is_stream",
    "make_directory",
    "parse_json",
    "part",
    "read_bytes",
    "read_json",
    "read_json_lines",
    "read_json_objects",
    "read_object",
    "read_text",
    "refuse_foreign",
    "replaced_file",
    "replacing",
    "sha256_of",
    "storage",
    "sync_directory",
    "texts_of",
    "whole_number",
    "write_bytes",
    "write_json",
    "write_text",
]

_HOME = {
    "BYTE_ORDER_MARK": "json_text",
    "DEEPEST": "json_text",
    "Fault": "json_text",
    "JsonError": "json_text",
    "JsonLine": "reading",
    "RowFaults": "row_faults",
    "Words": "records",
    "as_json": "writing",
    "as_object": "reading",
    "as_objects": "json_objects",
    "cannot_write": "disks",
    "check_numbers": "records",
    "check_record": "records",
    "decode": "json_text",
    "expected_of": "records",
    "first_fault": "records",
    "first_row": "json_objects",
    "head": "json_objects",
    "is_stream": "writing",
    "make_directory": "disks",
    "parse_json": "json_text",
    "part": "json_objects",
    "read_bytes": "reading",
    "read_json": "reading",
    "read_json_lines": "reading",
    "read_json_objects": "json_objects",
    "read_object": "reading",
    "read_text": "reading",
    "refuse_foreign": "json_text",
    "replaced_file": "writing",
    "replacing": "writing",
    "sha256_of": "writing",
    "storage": "disks",
    "sync_directory": "disks",
    "texts_of": "json_objects",
    "whole_number": "json_objects",
    "write_bytes": "writing",
    "write_json": "writing",
    "write_text": "writing",
}

__getattr__ = lazy_names(__name__, _HOME)
