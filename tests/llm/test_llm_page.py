"""What the pages on language models and on testing show in Python runs as it stands there."""

import re
from pathlib import Path
from unittest.mock import patch

import pytest

pytest.importorskip("inspect_ai")
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["llm.md", "testing.md"])
@patch.dict("os.environ")
def test_the_python_runs(page, keys):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    # As a file's, so that annotations of pydantic models are found in the block's own names.
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "page"})
