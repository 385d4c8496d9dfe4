"""Files of people and their programs: read one way, with faults that name their place."""

from tellapart.files.json_text import BYTE_ORDER_MARK, DEEPEST, Fault, JsonError, decode, parse_json
from tellapart.files.reading import JsonLine, as_object, read_bytes, read_json, read_json_lines, read_object

__all__ = [
    "BYTE_ORDER_MARK",
    "DEEPEST",
    "Fault",
    "JsonError",
    "JsonLine",
    "as_object",
    "decode",
    "parse_json",
    "read_bytes",
    "read_json",
    "read_json_lines",
    "read_object",
]
