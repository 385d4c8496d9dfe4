import json

import pytest

from tellapart.contrastive.units import gather_material, list_units

DOCUMENTED = '''def double_all(numbers):
    """Double every number of a list, in order."""
    doubled = []
    for number in numbers:
        doubled.append(2 * number)
    return doubled
'''
RENAMED = DOCUMENTED.replace("double_all", "twice").replace("numbers", "values").replace("number", "value")
BARE = """def first_negative(numbers):
    for number in numbers:
        if number < 0:
            return number
    return None
"""
SHORT = '''def one():
    """Give the number one, always."""
    return 1
'''


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    (root / "a.py").write_text(f"{DOCUMENTED}\n\n{BARE}\n\n{SHORT}")
    (root / "b.py").write_text(RENAMED)
    (root / "data.py").write_bytes(b"x = 1\0")
    return root


def names(material):
    return [unit.id.partition("#")[0] for unit in material.units]


def test_documented_units_without_copies(repository):
    material = gather_material([repository])
    assert names(material) == ["a.py::double_all"]
    skipped = {"binary": 1, "too short": 1}
    assert material.counts == {"extracted": 3, "copies": 1, "undocumented": 1, "skipped": skipped}
    assert [row.to_json() for row in material.left_out] == [
        {"path": "a.py", "cause": "too short", "units": [{"name": "one", "line": 16}]},
        {"path": "a.py", "cause": "undocumented", "units": [{"name": "first_negative", "line": 9}]},
        {"path": "b.py", "cause": "copy", "units": [{"name": "twice", "line": 1}]},
        {"path": "data.py", "cause": "binary", "units": []},
    ]
    ((unit, source, text),) = [(s.unit, s.source, s.text) for s in material.summaries]
    assert (unit, source, text) == (
        material.units[0].id,
        "docstring",
        "Double every number of a list, in order.",
    )
    assert "Double" not in material.units[0].content


def written(path, *texts):
    path.write_text("".join(json.dumps({"unit": u, "model": m, "summary": s}) + "\n" for u, m, s in texts))
    return f"jsonl:{path}"


def test_units_that_a_model_summarised_are_documented_too(repository, tmp_path):
    (bare,) = (
        unit.id for unit in gather_material([repository], candidates="all").units if "first" in unit.name
    )
    source = written(tmp_path / "s.jsonl", (bare, "gpt", "Finds the first value below zero."))
    material = gather_material([repository], summaries=source)
    assert names(material) == ["a.py::double_all", "a.py::first_negative"]
    assert [(summary.unit, summary.source) for summary in material.summaries] == [(bare, "gpt")]


def test_several_repositories_are_told_apart_by_their_names(repository, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text(BARE.replace("def f", "def the_f").replace("< 0", "> 5") + "\n\n" + SHORT)
    material = gather_material([repository, other], candidates="all")
    assert names(material) == [
        "other/a.py::the_first_negative",
        "repository/a.py::double_all",
        "repository/a.py::first_negative",
    ]
    assert [unit.path for unit in material.units] == ["other/a.py", *["repository/a.py"] * 2]
    assert material.counts["skipped"] == {"binary": 1, "too short": 2}
    short = [row.path for row in material.left_out if row.cause == "too short"]
    assert short == ["other/a.py", "repository/a.py"]


def test_a_template_that_is_filled_in_is_read(repository, tmp_path):
    listing = list_units([repository])
    assert [(unit["name"], unit["documented"]) for unit in listing.units] == [
        ("double_all", True),
        ("first_negative", False),
    ]
    assert [row.cause for row in listing.left_out] == ["too short", "copy", "binary"]
    rows = [json.loads(line) for line in listing.template().splitlines()]
    rows[1] |= {"model": "me", "summary": "Finds the first value below zero."}
    source = written(tmp_path / "s.jsonl", *(tuple(row.values()) for row in rows))
    assert [summary.unit for summary in gather_material([repository], summaries=source).summaries] == [
        listing.units[1]["id"]
    ]
