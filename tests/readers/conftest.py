import json

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file with a text, with JSON, or with JSON in lines."""

    def to(name, content, *, lines=False):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join(map(json.dumps, content)) if lines else content
        path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        return path

    return to
