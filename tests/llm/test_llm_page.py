"""What the page on language models shows in Python runs as it stands there."""

import re
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
PAGE = (Path(__file__).parents[2] / "docs" / "llm.md").read_text(encoding="utf-8")


def test_the_python_runs():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    # As a file's, so that annotations of pydantic models are found in the block's own names.
    exec(compile(block, "docs/llm.md", "exec"), {"__name__": "page"})
