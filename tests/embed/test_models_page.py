import re
from pathlib import Path

from tellapart.embed.model_names import names

PAGE = Path(__file__).parents[2].joinpath("docs", "models.md").read_text(encoding="utf-8")


def test_the_table_names_every_model():
    assert sorted(re.findall(r"^\| `(\w+)", PAGE, re.MULTILINE)) == names()


def test_the_python_runs():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(block, {})  # its own assertion is the test
