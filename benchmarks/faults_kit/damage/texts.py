"""Lines, numbers and words of any text, encodings, and the bytes of any file."""

import re

from damage.registry import JSON, LINES, SAME, TABLE, TEXT, YAML, of, pick
from damage.trees import NUMBERS


@of(LINES, TEXT, TABLE, YAML, weight=4)
def lines_changed(data, rng):
    lines = data.splitlines(keepends=True)
    if not lines:
        return None
    at, other = int(rng.integers(len(lines))), int(rng.integers(len(lines)))
    act = pick(rng, ("drop", "double", "swap", "cut", "join", "blank", "only", "many"))
    if act == "drop":
        del lines[at]
    elif act == "double":
        lines.insert(other, lines[at])
    elif act == "swap":
        lines[at], lines[other] = lines[other], lines[at]
    elif act == "cut":
        lines[at] = lines[at][: int(rng.integers(len(lines[at])))] + b"\n"
    elif act == "join":
        lines[at] = lines[at].rstrip(b"\r\n") + pick(rng, (b"", b" "))
    elif act == "blank":
        lines.insert(at, pick(rng, (b"\n", b"   \n", b"\t\n", b"#\n", b"null\n", b"[]\n", b"{}\n")))
    elif act == "only":
        lines = lines[: at + 1]
    else:
        lines = lines[:at] + [lines[at]] * min(300, 1_000_000 // len(lines[at])) + lines[at:]
    return b"".join(lines)


_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_LETTER = re.compile(rb"[0-9a-zA-Z]")
_WORD = re.compile(rb"[A-Za-z_]{3,}")
_WORDS = (
    b"", b"null", b"&a", b"*a", b"!!python/object:os.system", b"---", b"[", b"\x1b[2J", b"\xff\xfe", b"\0",
    b"x" * 1_000_000, b"=== CASE", b"{{", b"\r",
)  # fmt: skip


@of(TEXT, TABLE, YAML, weight=6)
def number_changed(data, rng):
    places = list(_NUMBER.finditer(data))
    if not places:
        return None
    place = pick(rng, places)
    return data[: place.start()] + pick(rng, NUMBERS).encode() + data[place.end() :]


@of(TEXT, YAML, weight=4)
def word_changed(data, rng):
    places = list(_WORD.finditer(data))
    if not places:
        return None
    place = pick(rng, places)
    new = pick(rng, (place[0] * 2, *_WORDS))
    return data[: place.start()] + new + data[place.end() :]


@of(YAML, weight=1)
def anchors_nested(data, rng):
    laughs = [b"a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    laughs += [b"a%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 10)]
    return b"\n".join(laughs) + b"\n" + data


@of(weight=1)
def emptied(data, rng):
    return b""


@of(weight=2)
def cut(data, rng):
    return data[: int(rng.integers(len(data)))] if data else None


@of(weight=1)
def random_bytes(data, rng):
    return rng.bytes(int(rng.integers(1, 2_000)))


@of(weight=3)
def bits_flipped(data, rng):
    if not data:
        return None
    changed = bytearray(data)
    for at in rng.integers(len(data), size=int(rng.integers(1, 4))):
        changed[int(at)] ^= 1 << int(rng.integers(8))
    return bytes(changed)


@of(JSON, LINES, YAML, TABLE, TEXT, weight=2)
def letter_changed(data, rng):
    """One letter or digit is another: the file still reads well."""
    start = int(rng.integers(len(data) + 1))
    place = _LETTER.search(data, start) or _LETTER.search(data)
    if place is None:
        return None
    at = place.start()
    new = (data[at] - 48 + 1) % 10 + 48 if data[at] <= 57 else data[at] ^ 0x20 if rng.integers(2) else 113
    return data[:at] + bytes([new]) + data[at + 1 :]


@of(weight=1)
def zeros(data, rng):
    """What ext4 and xfs leave of a write that a power cut hit."""
    at = int(rng.integers(len(data) + 1))
    size = int(rng.integers(1, 600))
    return pick(rng, (data + b"\0" * size + b"\n", data + b"\0" * size, data[:at] + b"\0" * (len(data) - at)))


@of(weight=1)
def block_moved(data, rng):
    if len(data) < 4:
        return None
    start, end, to = sorted(int(at) for at in rng.integers(len(data), size=3))
    return pick(rng, (data[:start] + data[end:], data[:to] + data[start:end] + data[to:]))


@of(weight=1)
def bytes_inserted(data, rng):
    at = int(rng.integers(len(data) + 1))
    new = pick(
        rng,
        (
            b"\0",
            b"\xff",
            b"\xed\xa0\x80",
            b"\x1b[2J",
            b"\x07",
            b"\x9b",
            b"\r",
            b"\xef\xbb\xbf",
            b"\xc3",
            b"\x1a",
        ),
    )
    return data[:at] + new + data[at:]


@of(weight=1)
def line_long(data, rng):
    at = int(rng.integers(len(data) + 1))
    return data[:at] + b"x" * 1_000_000 + data[at:]


_TEXTUAL = (JSON, LINES, YAML, TABLE, TEXT)


@of(*_TEXTUAL, effect=SAME, weight=1)
def byte_order_mark(data, rng):
    return b"\xef\xbb\xbf" + data


@of(*_TEXTUAL, effect=SAME, weight=1)
def lines_end_twice(data, rng):
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@of(*_TEXTUAL, effect=SAME, weight=1)
def utf_16(data, rng):
    return data.decode().encode(pick(rng, ("utf-16", "utf-16-le", "utf-16-be")))


@of(*_TEXTUAL, weight=1)
def latin_1(data, rng):
    text = data.decode()
    at = int(rng.integers(len(text) + 1))
    return f"{text[:at]}é{text[at:]}".encode("latin-1", errors="replace")


@of(*_TEXTUAL, effect=SAME, weight=1)
def ends_bare(data, rng):
    return data.rstrip(b"\n") if data.endswith(b"\n") else data + b"\n"
