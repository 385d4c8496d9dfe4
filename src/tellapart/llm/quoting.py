"""Text by others inside a prompt, so marked that it cannot pass for the prompt's own words.

Three things are sure, whatever the material says:

- Every line of it begins with ``|``, so no line of it stands where a heading, a fence or a role would.
- The marker that begins the prompt's own headings stands nowhere in it: ``quote`` looks, and takes another
  marker where it does.
- Nothing in it is hidden: what prints as nothing, or turns the direction of writing, is named instead, and
  so is the first character of what chat templates part turns with, such as ``<|im_start|>``.

What no quoting can do is keep a model from obeying what it reads. What it did obey is told from what it only
repeated by ``replies.parse``. The marker is a hash of all that is shown, and no secret: the same question has
the same bytes on resuming, and whoever guesses a marker has lost, since one that occurs is not taken.

Source:
    Hines et al., "Defending Against Indirect Prompt Injection Attacks With Spotlighting" (2024), delimiting
    and datamarking. Deviation: each line is marked, not each word, which keeps code readable.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from tellapart.core.fingerprint import canonical_json, sha256

MARKER_LENGTH = 12
"""Hexadecimal digits in a marker."""

# Spelled out, not asked of ``unicodedata``, whose answers differ between versions of Python: controls but
# tab and newline; line and paragraph separators; format characters that print nothing (zero-width ones,
# those that turn the direction of writing, tags); fillers; variation selectors; lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)

# Local servers read these as the tokens between which a chat's turns stand, wherever they are written.
_TURNS = re.compile(r"<[|｜][^<>|｜\s]{1,40}[|｜]>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>")


@dataclass(frozen=True)
class Quoted:
    """Texts that are ready to be put into one prompt.

    Attributes:
        marker: What the prompt's own headings begin with; it is in none of the texts.
        texts: Each with ``|`` before every line.
    """

    marker: str
    texts: tuple[str, ...]


def quote(texts: Iterable[str]) -> Quoted:
    """Make texts safe to show, all those of one prompt together."""
    lines = tuple(_marked(visible(text)) for text in texts)
    material = canonical_json(lines)
    # As a reader would take it who does not tell full-width or capital letters from plain ones.
    read = unicodedata.normalize("NFKC", "\n".join(lines)).casefold()
    markers = (sha256(b"%d\n%s" % (attempt, material))[:MARKER_LENGTH] for attempt in count())
    return Quoted(next(marker for marker in markers if marker not in read), lines)


def visible(text: str) -> str:
    """Name what cannot be seen, ``<U+202E>``, a run of it once, and break up what parts turns of a chat.

    Tabs and line ends stay; carriage returns become line ends. Any other text is returned as it is.
    """
    seen = _HIDDEN.sub(_name_run, text.replace("\r\n", "\n").replace("\r", "\n"))
    return _TURNS.sub(lambda turn: f"<{_name(turn[0][0])}>{turn[0][1:]}", seen)


def material_of(prompt: str) -> str:
    """All that ``quote`` put into a prompt, without the marks; empty where it did not."""
    return "\n".join(line[2:] for line in prompt.split("\n") if line.startswith("|"))


def _marked(text: str) -> str:
    return "\n".join(f"| {line}" if line else "|" for line in text.split("\n"))


def _name(character: str) -> str:
    return f"U+{ord(character):04X}"


def _name_run(run: re.Match[str]) -> str:
    more = len(run[0]) - 1
    return f"<{_name(run[0][0])}{f' and {more} more that cannot be seen' if more else ''}>"
