"""Texts that are the same but for their form, or nearly the same: found by MinHash, confirmed by shingles."""

from __future__ import annotations

import ast
import re
import textwrap
import tokenize
import unicodedata
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.compiled import compiled

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

NEAR = 0.8
"""Share of the shingles of two texts that both have, from which they count as nearly the same."""

_SHINGLE = 5
_BANDS, _ROWS = 20, 5
_EACH = 8
_BLOCK = 8_192
_SLACK = 0.2
_SLIP_AGREEMENT = 0.25
_SHORT = 24
_SLIP_LETTERS = 5

_SAME_SIGN = str.maketrans(
    {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’‚´`", "'"), **dict.fromkeys("–—−‐‑", "-")}
)
_C_LIKE = re.compile(r"[;{}][ \t]*(?://.*|/\*.*)?$", re.MULTILINE)
_PERL = re.compile(r"\b(?:my|our)\s+[$@%]")
_C_SIGN = re.compile(r"""["']|/\*|(?:^|(?<=[;{},]))[ \t]*//(?:[ \t][^\n]*)?$""", re.MULTILINE)
_C_STRING = {
    sign: re.compile(rf"{sign}(?:\\.|[^{sign}\\\n])*+(?P<closed>{sign}?)", re.DOTALL) for sign in "\"'"
}
_SQL = re.compile(r"\s*(?:--.*\n\s*)*(?:select|insert|update|delete|create|alter|with)\b", re.IGNORECASE)
_SQL_CLAUSE = re.compile(
    r"^[^\S\n]*(?:from|where|(?:left |inner )?join|group by|order by|limit|values|set)\b|;[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SQL_COMMENT = re.compile(r"^[ \t]*--\s.*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SENTENCE_SIGN = re.compile(
    r"(?<=[\w\"')\]}])[.,;:!?…]+(?=\s|$)|(?:(?<!\s)\s++|(?<![\s.,;:!?…]))[.,;:!?…]++$"
)
_HYPHEN = re.compile(r"(?<=[^\W\d_][^\W\d_])-(?=[^\W\d_]{2})")
_OPERATORS = frozenset("*%&|^~/\\@!#")
_CODE = frozenset("={}[]_")
_NEGATIONS = frozenset(
    """
    not no never none nor without cannot n't neither nobody nothing nowhere hardly
    dont cant wont isnt arent wasnt werent doesnt didnt hasnt havent hadnt couldnt shouldnt wouldnt aint
    nicht nie niemals ohne kein keine keinen keinem keiner keines ne pas jamais sans aucun aucune
    nunca jamás sin ningún ninguna non mai senza nessun nessuna não nem sem niet nooit geen zonder
    """.split()  # noqa: SIM905
)
"""Of English, German, French, Spanish, Italian, Portuguese and Dutch."""
_NEGATING_SIGNS = frozenset("不没沒未无無非勿莫别")
"""Of Chinese."""
_NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "mis", "de", "a")
_CONTRASTS = frozenset(
    """
    all some any every each both either many few several most least more less fewer only always often
    sometimes rarely before after above below over under up down in out on off left right and or if unless
    until while except but than greater smaller larger bigger higher lower longer shorter earlier later faster
    slower better worse min max minimum maximum first last next previous true false yes must may might can
    should with from to into start end open close enable disable increase decrease
    """.split()  # noqa: SIM905
)
"""Words of which another one in the same place means something else."""


def equal_form(text: str) -> str:
    """Give what texts share that are equal but for case, white space and spelling in Unicode.

    Full and half width, presentation forms, no-break spaces and ligatures count as spelling. Signs that
    nobody sees, such as a zero-width space, are left out. What means something else stays: x² is not x2.
    """
    folded = text.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded.translate(_spellings())).casefold()
        folded = "".join(sign for sign in folded if unicodedata.category(sign) != "Cf" or sign.isspace())
        folded = unicodedata.normalize("NFC", folded)
    return " ".join(folded.split())


@cache
def _spellings() -> dict[int, str]:
    """What replaces signs that differ from others in width and the like alone."""
    kinds = (
        "<wide>",
        "<narrow>",
        "<noBreak>",
        "<vertical>",
        "<initial>",
        "<medial>",
        "<final>",
        "<isolated>",
    )
    signs = map(chr, range(0x80, 0x10000))
    return {
        ord(sign): unicodedata.normalize("NFKC", sign)
        for sign in signs
        if unicodedata.decomposition(sign).startswith(kinds)
    }


def words_form(text: str) -> str:
    """Give the words and signs of a text, a blank between any two, so that phrases can be looked for.

    Left out are the signs that end clauses and sentences, and what ``equal_form`` leaves out; not an
    exclamation mark that may be a factorial. Quotes and dashes have one spelling, and outside of code a
    hyphen between words is a blank. A text of nothing else keeps all of it.
    """
    folded = equal_form(text).translate(_SAME_SIGN)
    if _CODE.isdisjoint(folded):
        folded = _HYPHEN.sub(" ", folded)
    tokens = _TOKEN.findall(_SENTENCE_SIGN.sub(_factorial, folded))
    return " ".join(tokens) if tokens else folded


def _factorial(signs: re.Match[str]) -> str:
    before = f"  {signs.string[max(0, signs.start() - 2) : signs.start()]}"
    may_be = "!" in signs[0] and (before[-1] in ")]" or before[-1].isnumeric() or before[-2].isspace())
    return "!" if may_be and not before[-1].isspace() else ""


def near_form(text: str) -> str:
    """Give the ``words_form`` of a text without comments of code, and docstrings.

    Comments are known in Python that can be parsed, in code with the braces and semicolons of C, in SQL and
    between tags. Anything else stays, since ``//`` divides and ``#`` begins headings elsewhere. A text of
    nothing else keeps its comments.
    """
    kept = text
    if "\n" in text and ("#" in text or '"""' in text or "'''" in text):
        kept = _without_python_comments(text)
    if kept == text and ("//" in text or "/*" in text) and _C_LIKE.search(text) and not _PERL.search(text):
        kept = _without_c_comments(text)
    if "--" in kept and _SQL.match(kept) and _SQL_CLAUSE.search(kept):
        kept = _SQL_COMMENT.sub("", kept)
    if "<!--" in kept and _TAG.search(_without_tag_comments(kept, "")):
        kept = _without_tag_comments(kept, " ")
    return words_form(kept) or words_form(text)


def _without_c_comments(text: str) -> str:
    """Put a blank in the place of each comment; what is in quotes stays."""
    kept, kept_to, at = [], 0, 0
    # What does not close is not looked through again from each sign in it.
    last_block_end = text.rfind("*/")
    open_to = dict.fromkeys(_C_STRING, 0)
    while sign := _C_SIGN.search(text, at):
        start, at = sign.span()
        if quote := _C_STRING.get(sign[0]):
            if start >= open_to[sign[0]]:
                string = quote.match(text, start)
                if string and string["closed"]:
                    at = string.end()
                elif string:
                    open_to[sign[0]] = string.end()
            continue
        if sign[0] == "/*":
            if at > last_block_end:
                at = start + 1
                continue
            at = text.index("*/", at) + 2
        kept.append(text[kept_to:start])
        kept_to = at
    return " ".join([*kept, text[kept_to:]])


def _without_tag_comments(text: str, instead: str) -> str:
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return instead.join([*kept, text[at:]])


_STATEMENTS = (
    *(
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.Import,
        ast.ImportFrom,
        ast.Return,
        ast.Assign,
    ),
    *(ast.AugAssign, ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Raise, ast.Assert, ast.Call),
)


def _without_python_comments(text: str) -> str:
    """A text as it is, unless it is Python."""
    code = textwrap.dedent(text)
    lines = re.findall(r"[^\n]*\n|[^\n]+", code)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = list(ast.walk(ast.parse(code)))
        if not any(isinstance(node, _STATEMENTS) for node in nodes):
            return text
        tokens = list(tokenize.generate_tokens(partial(next, iter(lines), "")))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return text
    with_docstring = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        (node.body[0].lineno, node.body[0].col_offset)
        for node in nodes
        if isinstance(node, with_docstring) and ast.get_docstring(node, clean=False) is not None
    }
    for token in reversed(tokens):
        (first, start), (last, end) = token.start, token.end
        # The tree counts bytes of UTF-8, tokens count signs.
        is_docstring = (
            token.type == tokenize.STRING
            and (first, len(lines[first - 1][:start].encode("utf-8"))) in docstrings
        )
        if is_docstring or token.type == tokenize.COMMENT:
            rest = lines[last - 1][end:]
            lines[first - 1 : last] = [lines[first - 1][:start] + rest, *[""] * (last - first)]
    return "".join(lines)


_LONG = 20
"""Words from which a copy of a text is one, whatever its numbers and negations are."""


@dataclass(frozen=True)
class NearTexts:
    """Texts that can be compared with one another without comparing all.

    Attributes:
        texts: Distinct, as ``near_form`` gives them.
    """

    texts: Sequence[str]

    @cached_property
    def pairs(self) -> I64:
        """All pairs that are nearly the same, each once, as positions in ``texts``.

        Two texts whose shingles agree by exactly ``NEAR`` are found with a probability of .9996, more similar
        ones hardly ever missed. Of many texts that are all alike, each is compared with a few of the others
        only; these connect them, but not every pair of them is listed.
        """
        first, second = self._candidates
        near = self.similarity(first, second) >= NEAR
        return np.stack([first[near], second[near]], axis=1)

    @cached_property
    def copies(self) -> I64:
        """All pairs of copies, as ``pairs`` gives them: what is learnt from one text helps with the other.

        They are nearly the same, or have as much in common and ``_LONG`` words or more each, so that a number
        or a negation is not all there is.
        """
        long = np.array([len(text.split()) >= _LONG for text in self.texts], dtype=np.bool_)
        first, second = self._candidates
        may_be = long[first] & long[second]
        alike = self.similarity(first[may_be], second[may_be], details=False) >= NEAR
        longer = np.stack([first[may_be][alike], second[may_be][alike]], axis=1)
        return np.unique(np.concatenate([self.pairs, longer]), axis=0)

    @cached_property
    def _candidates(self) -> tuple[I64, I64]:
        """Positions of pairs that may be alike."""
        signatures = self._signatures
        packed = [
            _bucket_pairs(_band_keys(signatures[:, band * _ROWS : (band + 1) * _ROWS]))
            for band in range(_BANDS)
        ]
        every = np.unique(np.concatenate([*packed, _but_for_a_word(self.texts)]))
        return every >> 32, every & 0xFFFFFFFF

    def similarity(self, first: I64, second: I64, *, details: bool = True) -> F64:
        """Compare pairs of texts.

        Args:
            first: Positions in ``texts``, shape (n,).

        Returns:
            Shape (n,), in [0, 1]: the Jaccard index of their sets of five successive signs; 1 for a text and
            itself. ``NEAR`` at least for short texts of which one has a letter more, or two letters swapped,
            in one of the longer words: slips of the pen. 0 where they differ in a number, a negation or an
            operator, or in the order of these, or have another word each of those that mean something else in
            the same place, such as both and neither: such a difference may be all that matters. 0 also
            instead of a value that is far below ``NEAR``.
        """
        result = np.zeros(len(first))
        signatures = self._signatures
        for start in range(0, len(first), _BLOCK):
            a, b = first[start : start + _BLOCK], second[start : start + _BLOCK]
            agreement = (signatures[a] == signatures[b]).mean(axis=1)
            for place in np.flatnonzero(agreement >= _SLIP_AGREEMENT).tolist():
                i, j = int(a[place]), int(b[place])
                if i == j:
                    result[start + place] = 1.0
                    continue
                slip = _is_slip(self.texts[i], self.texts[j])
                if not (slip or agreement[place] >= NEAR - _SLACK) or (details and self._differ(i, j)):
                    continue
                alike = _jaccard(_codes(self.texts[i]), _codes(self.texts[j]))
                result[start + place] = max(alike, NEAR) if slip else alike
        return result

    @cached_property
    def _signatures(self) -> U32:
        size = _BANDS * _ROWS
        rng = np.random.Generator(np.random.PCG64(20_000_003))
        factors = rng.integers(1, 2**32, size=size, dtype=np.uint64) | np.uint64(1)
        shifts = rng.integers(0, 2**32, size=size, dtype=np.uint64)
        result = np.empty((len(self.texts), size), dtype=np.uint32)
        for start in range(0, len(self.texts), _BLOCK):
            block = self.texts[start : start + _BLOCK]
            ends = np.cumsum([0, *map(len, block)])
            _sign(_codes("".join(block)), ends, factors, shifts, result[start : start + len(block)])
        return result

    def _differ(self, first: int, second: int) -> bool:
        """Whether two texts differ in what may be all that matters."""
        a, b = self._details(first), self._details(second)
        if a.exact != b.exact:
            return True
        more, fewer = a.words - b.words, b.words - a.words
        if _CONTRASTS & more.keys() and _CONTRASTS & fewer.keys():
            return True
        if not more and not fewer and a.contrasts != b.contrasts:
            return True
        return _is_negated(more, fewer) or _is_negated(fewer, more)

    def _details(self, position: int) -> _Details:
        known = self._known_details.get(position)
        if known is None:
            known = self._known_details[position] = _details_of(self.texts[position])
        return known

    @cached_property
    def _known_details(self) -> dict[int, _Details]:
        return {}


def _but_for_a_word(texts: Sequence[str]) -> I64:
    """Pairs of short texts that are the same without one word each, packed as by ``_bucket_pairs``."""
    keys, owners = list[int](), list[int]()
    for number, text in enumerate(texts):
        words = text.split(" ")
        if not 2 < len(words) <= _SHORT:
            continue
        for i, word in enumerate(words):
            if len(word) >= _SLIP_LETTERS - 1:
                words[i] = ""
                keys.append(crc32(" ".join(words).encode("utf-8", "surrogatepass")))
                owners.append(number)
                words[i] = word
    packed = _bucket_pairs(np.array(keys, dtype=np.uint64))
    of = np.array(owners, dtype=np.int64)
    first, second = of[packed >> 32], of[packed & 0xFFFFFFFF]
    pairs: I64 = ((np.minimum(first, second) << 32) | np.maximum(first, second))[first != second]
    return pairs


def _is_slip(first: str, second: str) -> bool:
    """Whether one of two texts has a letter more, or two swapped, in one word with the same initial.

    A letter that is another one makes too many words that mean something else, such as close and chose.
    """
    if abs(len(first) - len(second)) > 1:
        return False
    a, b = first.split(" "), second.split(" ")
    if len(a) != len(b) or not 2 < len(a) <= _SHORT:
        return False
    differing = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if len(differing) != 1:
        return False
    shorter, longer = sorted(differing[0], key=len)
    if len(longer) < _SLIP_LETTERS or shorter[0] != longer[0] or not (shorter + longer).isalpha():
        return False
    if len(shorter) < len(longer):
        return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
    i = next(i for i in range(len(shorter)) if shorter[i] != longer[i])
    return shorter == longer[:i] + longer[i : i + 2][::-1] + longer[i + 2 :]


def groups(size: int, pairs: I64) -> I64:
    """Put what pairs connect, directly or through others, into groups.

    Args:
        pairs: Positions, shape (pairs, 2).
    """
    lowest = np.arange(size)
    _connect(lowest, np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2))
    return lowest


@dataclass(frozen=True)
class _Details:
    """Of a text its numbers, negations and operators, its words, and ``_CONTRASTS``, each in order."""

    exact: tuple[tuple[str, ...], ...]
    words: Counter[str]
    contrasts: tuple[str, ...]


def _details_of(text: str) -> _Details:
    tokens = _tokens(text)
    is_code = not _CODE.isdisjoint(text)
    numeric = [any(sign.isnumeric() for sign in token) for token in tokens]
    beside = zip([False, *numeric[:-1]], [*numeric[1:], False], strict=True)
    operators = (
        token
        for token, (before, after) in zip(tokens, beside, strict=True)
        if _is_operator(token)
        or (token == "-" and (is_code or after))
        or (before and after and _is_sign(token))
    )
    numbers = (
        # Without blanks between words, a number is no token.
        token if token.isascii() else "".join(sign if sign.isnumeric() else " " for sign in token).strip()
        for token, is_numeric in zip(tokens, numeric, strict=True)
        if is_numeric
    )
    exact = (tuple(numbers), tuple(negations(text)), tuple(operators))
    return _Details(exact, Counter(tokens), tuple(token for token in tokens if token in _CONTRASTS))


def _tokens(text: str) -> list[str]:
    return re.sub(r" ' t\b", " n't", text).replace("! =", "!=").split(" ")


def negations(text: str) -> list[str]:
    """The negations in a ``words_form``, in order, of seven European languages and of Chinese."""
    return [
        token
        for of in _tokens(text)
        for token in ([of] if of.isascii() or of in _NEGATIONS else of)
        if token in _NEGATIONS or token in _NEGATING_SIGNS
    ]


def _is_sign(token: str) -> bool:
    return len(token) == 1 and not token.isalnum() and token not in "\"'"


def _is_operator(token: str) -> bool:
    return (
        token == "!="
        or token in _OPERATORS
        or (len(token) == 1 and unicodedata.category(token) in ("Sm", "Sc"))
    )


def _is_negated(words: Counter[str], others: Counter[str]) -> bool:
    """Whether a word is another one with a prefix that negates it, or has -less for -ful."""
    return any(
        prefix + word in others for word in words if len(word) > 2 for prefix in _NEGATING_PREFIXES
    ) or any(word.endswith("ful") and word[:-3] + "less" in others for word in words)


def _codes(text: str) -> U32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _band_keys(rows: U32) -> U64:
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        keys = (keys ^ rows[:, column].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def _bucket_pairs(keys: U64) -> I64:
    """Pairs of rows with equal keys, packed: each with the ``_EACH`` before it in its bucket."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    found = []
    for gap in range(1, _EACH + 1):
        same = np.flatnonzero(ordered[gap:] == ordered[:-gap])
        a, b = order[same], order[same + gap]
        found.append((np.minimum(a, b) << 32) | np.maximum(a, b))
    return np.unique(np.concatenate(found)).astype(np.int64)


@compiled()
def _hash(codes: U32, start: int, end: int) -> np.uint64:
    value = np.uint64(0x811C9DC5)
    for place in range(start, end):
        value = ((value ^ np.uint64(codes[place])) * np.uint64(0x01000193)) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(16)
    value = (value * np.uint64(0x85EBCA6B)) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(13)
    value = (value * np.uint64(0xC2B2AE35)) & np.uint64(0xFFFFFFFF)
    return value ^ (value >> np.uint64(16))


@compiled()
def _sign(codes: U32, ends: I64, factors: U64, shifts: U64, result: U32) -> None:
    size = len(factors)
    least = np.empty(size, dtype=np.uint64)
    for text in range(len(ends) - 1):
        start, end = ends[text], ends[text + 1]
        least[:] = np.uint64(0xFFFFFFFF)
        for place in range(start, max(start + 1, end - _SHINGLE + 1)):
            shingle = _hash(codes, place, min(place + _SHINGLE, end))
            for i in range(size):
                value = (factors[i] * shingle + shifts[i]) & np.uint64(0xFFFFFFFF)
                least[i] = min(least[i], value)
        for i in range(size):
            result[text, i] = np.uint32(least[i])


@compiled()
def _shingles(codes: U32) -> U64:
    count = max(1, len(codes) - _SHINGLE + 1)
    result = np.empty(count, dtype=np.uint64)
    for place in range(count):
        result[place] = _hash(codes, place, min(place + _SHINGLE, len(codes)))
    result.sort()
    return result


@compiled()
def _jaccard(first: U32, second: U32) -> float:
    a, b = _shingles(first), _shingles(second)
    i = j = shared = union = 0
    while i < len(a) or j < len(b):
        union += 1
        if j == len(b) or (i < len(a) and a[i] < b[j]):
            value = a[i]
        elif i == len(a) or b[j] < a[i]:
            value = b[j]
        else:
            value = a[i]
            shared += 1
        while i < len(a) and a[i] == value:
            i += 1
        while j < len(b) and b[j] == value:
            j += 1
    return shared / union


@compiled()
def _connect(lowest: I64, pairs: I64) -> None:
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        while lowest[a] != a:
            lowest[a] = lowest[lowest[a]]
            a = lowest[a]
        while lowest[b] != b:
            lowest[b] = lowest[lowest[b]]
            b = lowest[b]
        if a < b:
            lowest[b] = a
        else:
            lowest[a] = b
    for i in range(len(lowest)):
        lowest[i] = lowest[lowest[i]]
