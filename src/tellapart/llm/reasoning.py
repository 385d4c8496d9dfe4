"""What a model says when it thinks aloud is no part of its answer."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_BLOCK = re.compile(rf"<(?P<name>{_NAMES})>(?:(?!</(?P=name)>).)*+</(?P=name)>", re.DOTALL | re.I)
_UNCLOSED = re.compile(rf"^[ \t]*<(?:{_NAMES})>.*\Z", re.DOTALL | re.I | re.M)
# Alone on its line, or at its end: within a line it may be quoted.
_UNOPENED = re.compile(rf"\A(?s:.*)(?:^[ \t]*</(?:{_NAMES})>|</(?:{_NAMES})>[ \t]*$)", re.I | re.M)
# <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…<|return|>
_FINAL = re.compile(r"<\|channel\|>\s*final\s*<\|message\|>", re.I)
_CHANNEL = re.compile(r"(?:<\|start\|>\w*)?<\|channel\|>(?:(?!<\|end\|>).)*+(?:<\|end\|>|\Z)", re.DOTALL)
_MARK = re.compile(r"<\|(?:start|end|return|message|im_end|eot_id)\|>(?:assistant\b)?")


def without_reasoning(text: str) -> str:
    """The answer alone: without blocks such as ``<think>…</think>`` and channels other than the final one.

    A block that is never closed is followed by no answer. All before a closing tag that begins or ends a line
    and has no opening one is reasoning too, as some servers leave the opening tag out. A text without such
    tags is returned as it is.
    """
    if "<" not in text:
        return text
    if "<|" in text:
        text = _MARK.sub("", _CHANNEL.sub("", _FINAL.split(text)[-1]))
    answer = _BLOCK.sub("", text)
    answer = _UNOPENED.sub("", _UNCLOSED.sub("", answer))
    return answer if answer == text else answer.lstrip()
