"""Gold of every form, as its makers write it, gives the same files."""

import json

import pytest

from tellapart.codesearch.gold.forms import read_gold
from tellapart.codesearch.gold.patches import files_of_patch
from tellapart.errors import InputError

PATCH = r"""diff --git a/lib/pins.py b/lib/pins.py
index 1..2 100644
--- a/lib/pins.py
+++ b/lib/pins.py
@@ -1,3 +1,3 @@ def pins():
 def pins():
--- not/a/header.py
++++ not/a/header.py
     return
diff --git a/lib/new.py b/lib/new.py
new file mode 100644
--- /dev/null
+++ b/lib/new.py
@@ -0,0 +1 @@
+x = 1
diff --git a/lib/old.py b/lib/moved.py
similarity index 100%
rename from lib/old.py
rename to lib/moved.py
diff --git a/lib/gone.py b/lib/gone.py
deleted file mode 100644
--- a/lib/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x = 1
diff --git "a/lib/caf\303\251.py" "b/lib/caf\303\251.py"
--- "a/lib/caf\303\251.py"
+++ "b/lib/caf\303\251.py"
@@ -1 +1 @@
-x
+y
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
"""
CHANGED = ("lib/pins.py", "lib/old.py", "lib/gone.py", "lib/café.py", "logo.png")
ISSUE = {"instance_id": "o__r-1", "repo": "o/r", "base_commit": "c" * 40, "patch": PATCH}
ISSUE |= {"problem_statement": "Pins vanish"}


@pytest.mark.parametrize(
    ("patch", "changed", "added"),
    [
        ("diff --git a/a b/c.py b/d.py\nrename from a b/c.py\nrename to d.py\n", ("a b/c.py",), ()),
        ("diff --git a/x.py b/y.py\ncopy from x.py\ncopy to y.py\n", (), ("y.py",)),
        (
            "diff --git a/x.py b/y.py\ncopy from x.py\ncopy to y.py\n--- a/x.py\n+++ b/y.py\n@@ -1 +1 @@\n",
            (),
            ("y.py",),
        ),
        ("--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n", ("x.py",), ()),
    ],
)
def test_names_in_patches_are_without_what_git_puts_before_them(patch, changed, added):
    found = files_of_patch(patch)
    assert (tuple(found.changed), found.added) == (changed, added)


HUNKS = {
    0: "@@ -4 +3,0 @@\n-4\n@@ -6,0 +6,2 @@\n+c\n+d\n@@ -8,2 +9 @@\n-8\n-9\n+e\n",
    1: "@@ -3,7 +3,7 @@\n 3\n-4\n 5\n 6\n+c\n+d\n 7\n-8\n-9\n+e\n\\ No newline at end of file\n",
    3: "@@ -1,9 +1,9 @@\n 1\n 2\n 3\n-4\n 5\n 6\n+c\n+d\n 7\n-8\n-9\n+e\n",
}


@pytest.mark.parametrize("context", HUNKS)
def test_changed_lines_do_not_depend_on_how_much_a_patch_shows(context):
    # What is inserted lies between two lines.
    found = files_of_patch(f"--- a/x\n+++ b/x\n{HUNKS[context]}--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+a\n")
    assert found.changed == {"x": ((4, 4), (6, 7), (8, 9)), "y": ((1, 1),)}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


QRELS = "1 0 r/a.py 1\n1 0 r/b.py 2\n1 0 r/x.py 0\n2 0 r/c.py 1\n"
ONE = [{"id": "1", "files": ["r/a.py", "r/b.py"]}, {"id": "2", "files": ["r/c.py"]}]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"1": ["r/a.py", "r/b.py"], "2": ["r/c.py"]}),
        json.dumps(ONE),
        lines(*ONE),
        json.dumps(
            {"conversations": [{"conversation_id": r["id"], "touched_files": r["files"]} for r in ONE]}
        ),
        QRELS,
        lines(
            *({"query_id": r["id"], "gold": [{"repo": "r", "path": f[2:]} for f in r["files"]]} for r in ONE)
        ),
    ],
)
def test_files_listed_by_issue(text):
    found = {row.id: tuple(row.changed.changed) for row in read_gold(text.encode(), "it").rows}
    assert found == {"1": ("r/a.py", "r/b.py"), "2": ("r/c.py",)}
    assert read_gold(QRELS.encode(), "it").name == "TREC qrels"


@pytest.mark.parametrize(
    ("name", "further", "files"),
    [
        ("SWE-bench", {}, CHANGED),
        ("Loc-Bench", {"edit_functions": ["lib/pins.py:Pins.show"]}, ("lib/pins.py",)),
        ("Loc-Bench", {"edit_functions": []}, CHANGED),
        ("Loc-Bench", {"edit_functions": "['lib/pins.py:pins']", "patch": None}, ("lib/pins.py",)),
        (
            "ContextBench",
            {"gold_context": json.dumps([{"file": "/testbed/src/a.py"}, {"file": "./src/a.py"}])},
            ("src/a.py",),
        ),
        (
            "ContextBench",
            {"init_ctx": [{"file": "/workspace/r/src/workspace/a.py"}], "add_ctx": [{"file": "/lib/b.py"}]},
            ("src/workspace/a.py", "lib/b.py"),
        ),
    ],
)
def test_benchmarks_of_issues(name, further, files):
    found = read_gold(lines(ISSUE | further).encode(), "it")
    (row,) = found.rows
    assert (found.name, tuple(row.changed.changed)) == (name, files)
    assert (row.id, row.repository, row.commit, row.summary) == ("o__r-1", "o/r", "c" * 40, "Pins vanish")
    assert row.from_top and len(row.changed.added) == (files == CHANGED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this file is empty"),
        ("{}", "no gold files are recognised"),
        ("[]", "there is no gold"),
        ("hello there", "no JSON, no TREC qrels, and no table"),
        ('[{"id": 1, "files": "a.py"}]', "none of 1 gold entries can be used; '1': its 'files' is 'a.py'"),
        ('[{"files": []}]', "it has no id"),
        ('{"instance_id": "1", "patch": 3}', "its 'patch' is 3, expected a text"),
        ("1 0 a.py 0\n", "no judgement calls a file relevant"),
        ("1 0 a.py 1\n2 0\n", "it:2: expected 'query 0 document grade'"),
        ('{"id": "1"\n', "it"),
        # One broken twin of each form.
        ('{"instance_id": "1", "model_patch": "x"}', r"none of those of .*SWE-bench \(instance_id, patch"),
        ('{"instance_id": "1", "patch": "fix it"}', "'1': its 'patch' touches no file, expected a unified"),
        ('{"instance_id": "1", "edit_functions": ["a.py"]}', "'a.py', expected 'path:Class.method'"),
        ('{"instance_id": "1", "edit_functions": []}', "'edit_functions' names no function, and it has no"),
        ('{"instance_id": "1", "gold_context": "[{}]"}', r"'gold_context' is .*which each has a 'file'"),
    ],
)
def test_what_is_no_gold(text, said):
    with pytest.raises(InputError, match="(?s)" + said):
        read_gold(text.encode(), "it")
