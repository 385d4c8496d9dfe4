"""Blank out the smallest bracketed pieces of a file that its grammar cannot parse, so that the rest parses.

Grammars lag behind their languages, and one unknown construct must not cost what encloses it. What is blanked
is always balanced: every bracket outside keeps its partner, so a body that ends with its own bracket ends
there for certain, whatever stands in between.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter

from tellapart.extraction.languages import Language
from tellapart.extraction.parsing import changed_lines, parsed_again, parsed_tree

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MOST_ROUNDS = 8
"""Of blanking and parsing again; each widens what still fails."""

MOST_BYTES = 1_000_000
"""Parsed again to put back what was blanked out; of one file, where each try counts as the whole of it."""

MOST_ERRORS = 2_000
"""In one round; a file with more is no program."""

OPENING = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{")}
OPAQUE_KIND = re.compile(r"string|comment|regex|jsx_text|char|heredoc|template_literal")
BLANK = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))
SPACE = re.compile(rb"\s+")
NOT_SPACE = re.compile(rb"\S")
LINE_END = re.compile(rb"\n|;")

Range = tuple[int, int]


class Brackets:
    """The pairs of brackets of a file, found by position; an end is behind the closing bracket."""

    def __init__(self, pairs: Sequence[Range]) -> None:
        """Take all pairs, sorted by their start."""
        self._pairs = pairs
        self._starts = [start for start, _ in pairs]
        self._parents: list[int] = []
        around: list[int] = []
        for at, (start, _) in enumerate(pairs):
            while around and pairs[around[-1]][1] <= start:
                around.pop()
            self._parents.append(around[-1] if around else -1)
            around.append(at)
        self.end_of = dict(pairs)

    def around(self, start: int, end: int) -> Iterator[Range]:
        """Give the pairs that hold a range between them, the innermost first."""
        at = bisect_left(self._starts, start) - 1
        while at >= 0:
            if end < self._pairs[at][1]:
                yield self._pairs[at]
            at = self._parents[at]

    def within(self, start: int, end: int) -> list[Range]:
        """List the outermost pairs inside a range that cuts none."""
        found: list[Range] = []
        for pair in self._pairs[bisect_left(self._starts, start) : bisect_left(self._starts, end)]:
            if not found or pair[0] >= found[-1][1]:
                found.append(pair)
        return found

    def whole(self, start: int, end: int) -> Range:
        """Widen a range to the whole of each pair that it cuts or whose brackets it holds."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        for _, closing in self._pairs[first:last]:
            end = max(end, closing)
        at = first - 1
        while at >= 0:
            opening, closing = self._pairs[at]
            if start < closing <= end:
                start = opening
            at = self._parents[at]
        return start, end


class Recovered(NamedTuple):
    """A parse of a file without what the grammar does not know.

    Attributes:
        tree: Without an error.
        data: The bytes that were parsed: spaces stand for what was blanked out.
        blanks: What was, in order, apart.
        brackets: Of the whole file.
    """

    tree: Tree
    data: bytes
    blanks: tuple[Range, ...]
    brackets: Brackets


def recovered(data: bytes, tree: Tree, language: Language) -> Recovered | None:
    """Parse a file without the pieces that cannot be parsed.

    First what holds an error is blanked out, widened until no error is left; then as much as possible is
    put back, halving what cannot be put back as a whole.
    """
    brackets = _brackets(data, _opaque(tree, language), language) or _brackets(data, [], language)
    if brackets is None:
        return None
    left = bytearray(data)
    for _ in range(MOST_ROUNDS):
        errors = list(islice(_errors(tree.root_node), MOST_ERRORS))
        if not errors:
            break
        before = bytes(left)
        for error in errors:
            for start, end in _pieces(error, data, brackets):
                if NOT_SPACE.search(left, start, end):
                    left[start:end] = left[start:end].translate(BLANK)
                    break
        tree = parsed_again(tree, before, bytes(left), language)
    else:
        return None
    repair = _Repair(data, left, tree, language, brackets)
    for start, end in sorted(_blanks(data, bytes(left)), key=lambda blank: blank[0] - blank[1]):
        if b"\n" in data[start:end].strip():
            repair.put_back(start, end)
    again = parsed_tree(bytes(left), language)
    if again.root_node.has_error:
        return None
    return Recovered(again, bytes(left), _blanks(data, bytes(left)), brackets)


class _Repair:
    """A file while blanked pieces are put back."""

    def __init__(
        self, data: bytes, left: bytearray, tree: Tree, language: Language, brackets: Brackets
    ) -> None:
        self._data = data
        self._left = left
        self._tree = tree
        self._parser = language.parser
        self._brackets = brackets
        self._tries = MOST_BYTES // len(data)
        self._rows = [0, *(found.end() for found in re.finditer(rb"\n", data))]

    def put_back(self, start: int, end: int) -> None:
        """Put back what parses of a balanced range, which is blank."""
        text = self._data[start:end]
        if self._tries <= 0 or not text.strip() or self._put(start, end, text):
            return
        pieces = self._statements(start, end)
        if len(pieces) > 1:
            middle = pieces[len(pieces) // 2][0]
            self.put_back(start, middle)
            self.put_back(middle, end)
            return
        inner = [(first + 1, last - 1) for first, last in self._brackets.within(start, end)]
        frame = bytearray(self._data[start:end])
        for first, last in inner:
            frame[first - start : last - start] = self._data[first:last].translate(BLANK)
        if inner and self._put(start, end, bytes(frame)):
            for first, last in inner:
                self.put_back(first, last)

    def _statements(self, start: int, end: int) -> list[Range]:
        """Divide a range at the line ends that are in no pair of brackets inside it."""
        cuts = [start]
        at = start
        for first, last in [*self._brackets.within(start, end), (end, end)]:
            cuts += [found.end() for found in LINE_END.finditer(self._data, at, first)]
            at = last
        return [(one, other) for one, other in pairwise([*cuts, end]) if one < other]

    def _put(self, start: int, end: int, text: bytes) -> bool:
        """Write a text over a range if the file then parses without an error."""
        if self._tries <= 0:
            return False
        self._tries -= 1
        before = bytes(self._left[start:end])
        self._left[start:end] = text
        edited = self._tree.copy()
        points = self._point(start), self._point(end)
        edited.edit(start, end, end, points[0], points[1], points[1])
        tree = self._parser.parse(bytes(self._left), edited)
        if tree.root_node.has_error:
            self._left[start:end] = before
            return False
        self._tree = tree
        return True

    def _point(self, at: int) -> tuple[int, int]:
        row = bisect_right(self._rows, at) - 1
        return row, at - self._rows[row]


def _blanks(data: bytes, left: bytes) -> tuple[Range, ...]:
    """Find what is blank in ``left`` only, runs with nothing but spaces between them joined."""
    found: list[Range] = []
    for line in changed_lines(data, left):
        for space in SPACE.finditer(line.after):
            piece = line.before[space.start() : space.end()]
            if not piece.strip():
                continue
            start = line.start + space.end() - len(piece.lstrip())
            end = line.start + space.start() + len(piece.rstrip())
            if found and not left[found[-1][1] : start].strip():
                start = found.pop()[0]
            found.append((start, end))
    return tuple(found)


def _errors(root: Node) -> Iterator[Range]:
    """Find the innermost errors."""
    pending = [root]
    while pending:
        node = pending.pop()
        inner = [child for child in node.children if child.has_error]
        if node.is_missing or (node.is_error and not inner):
            yield node.start_byte, node.end_byte
        pending += inner


def _pieces(error: Range, data: bytes, brackets: Brackets) -> Iterator[Range]:
    """Give what may be blanked out for an error, the smallest first, brackets always in pairs."""
    start, end = error
    if brackets.whole(start, end) == error:
        yield error
    for opening, closing in brackets.around(start, end):
        yield _lines(start, end, data, (opening + 1, closing - 1), brackets)
        yield opening + 1, closing - 1
    yield _lines(start, end, data, (0, len(data)), brackets)


def _lines(start: int, end: int, data: bytes, within: Range, brackets: Brackets) -> Range:
    """Widen a range to whole lines, as far as ``within`` goes, and to the whole of each pair that it cuts."""
    while True:
        last = data.find(b"\n", end, within[1])
        wide = max(data.rfind(b"\n", 0, start) + 1, within[0]), last if last >= 0 else within[1]
        wider = brackets.whole(*wide)
        if wider == (start, end):
            return wider
        start, end = wider


def _brackets(data: bytes, opaque: Sequence[Range], language: Language) -> Brackets | None:
    """Pair the brackets outside strings, comments and what is ``opaque``; None where one has no partner."""
    starts = [start for start, _ in opaque]
    token = _tokens(language)
    opened: list[int] = []
    pairs: list[Range] = []
    at = 0
    while found := token.search(data, at):
        at = found.end()
        inside = bisect_right(starts, found.start()) - 1
        if inside >= 0 and found.start() < opaque[inside][1]:
            at = opaque[inside][1]
        elif at - found.start() == 1:
            bracket = data[found.start()]
            if bracket not in OPENING:
                opened.append(found.start())
            elif not opened or data[opened[-1]] != OPENING[bracket]:
                return None
            else:
                pairs.append((opened.pop(), at))
    return None if opened else Brackets(sorted(pairs))


def _opaque(tree: Tree, language: Language) -> list[Range]:
    """Find the outermost strings, comments and the like that were parsed without an error."""
    nodes = tree_sitter.QueryCursor(_opaque_query(language)).captures(tree.root_node).get("opaque", [])
    outermost: list[Range] = []
    for start, negative_end in sorted(
        (node.start_byte, -node.end_byte) for node in nodes if not node.has_error
    ):
        if not outermost or start >= outermost[-1][1]:
            outermost.append((start, -negative_end))
    return outermost


@cache
def _opaque_query(language: Language) -> tree_sitter.Query:
    grammar = language.loaded
    kinds = {
        name
        for kind in range(1, grammar.node_kind_count)
        if grammar.node_kind_is_named(kind)
        and grammar.node_kind_is_visible(kind)
        and (name := grammar.node_kind_for_id(kind))
        and OPAQUE_KIND.search(name)
    }
    return tree_sitter.Query(grammar, f"[{' '.join(f'({kind})' for kind in sorted(kinds))}] @opaque")


@cache
def _tokens(language: Language) -> re.Pattern[bytes]:
    lexis = language.lexis
    return re.compile(rf"(?s:{lexis.comment})|(?s:{lexis.string})|[()\[\]{{}}]".encode())
