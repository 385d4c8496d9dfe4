import json
import re

import pytest

from bundles.stored import TIERS, broken_1, write_board
from tellapart.files import sha256_of

EASY, _, HARDEST = TIERS


def test_flips_are_listed_with_their_anchors(tellapart, tmp_path):
    tiers = [HARDEST] * 6
    eval_path = tmp_path / "eval.jsonl"
    bundle = {"positive": "p", "negatives": ["n"], "tier": "tier3"}
    lines = [json.dumps({"bundle_id": f"b{i:03}", "anchor": f"anchor {i}", **bundle}) for i in range(6)]
    eval_path.write_text("\n".join(lines) + "\n")
    own = sha256_of(eval_path)[:16]
    margins = {"old": [0.5] * 6, "new": [0.5, 0.5, -0.1, -0.4, 0.5, 0.5]}
    paths = []
    for name, values in margins.items():
        path = write_board(tmp_path, name, values, tiers, source_hash=own)
        board = json.loads(path.read_text())
        board["eval_header"]["eval_path"] = str(eval_path)
        path.write_text(json.dumps(board))
        paths.append(path)
    done = tellapart("bundles", "compare", *paths)
    assert "Items that flipped: 2 lost, 0 gained" in done.out
    assert done.out.index("anchor 3") < done.out.index("anchor 2")
    flips = json.loads(tellapart("bundles", "compare", *paths, "--json").out)["flips"]
    assert [(flip["item"], flip["anchor"]) for flip in flips] == [("b003", "anchor 3"), ("b002", "anchor 2")]
    eval_path.write_text("changed\n")
    assert "anchor 3" not in tellapart("bundles", "compare", *paths).out


@pytest.mark.parametrize(
    ("lost", "options", "code", "word"),
    [
        (30, (), 3, "FAILED on tier3 adversarial items. "),
        (4, (), 4, "Unclear on tier3 adversarial items. "),
        (4, ("--on-unclear", "pass"), 0, "Unclear on tier3 adversarial items. "),
        (0, (), 0, "Passed on tier3 adversarial items. Nothing changed: all 300 items score the same "),
        (30, ("--tier", "tier1"), 0, "Passed on tier1 easy items. "),
        (60, ("--tier", "overall"), 3, "FAILED. "),
    ],
)
def test_gates_have_three_ends(tellapart, tmp_path, lost, options, code, word):
    n = 300
    tiers = [EASY] * n + [HARDEST] * n
    base = write_board(tmp_path, "base", [0.1] * 200 + [-0.1] * 100 + [0.1] * 200 + [-0.1] * 100, tiers)
    kept = 200 - lost
    cand = write_board(
        tmp_path, "cand", [0.1] * 210 + [-0.1] * 90 + [0.1] * kept + [-0.1] * (n - kept), tiers
    )
    page = tmp_path / "comment.md"
    done = tellapart("bundles", "compare", base, cand, "--max-drop", "0.02", "--markdown", page, *options)
    assert done.code == code, done.out
    assert " ".join(done.out.split()).startswith(word.strip())
    assert page.read_text().startswith(f"# {word}")
    assert done.err == f"wrote {page}\n"
    record = json.loads(
        tellapart("bundles", "compare", base, cand, "--max-drop", "0.02", "--json", *options).out
    )
    ended = re.split("[. ]", word)[0].lower() if lost else "unchanged"
    assert record["outcome"] == record["gate"]["outcome"] == ended


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--max-drop", "nan"), "--max-drop is nan"),
        (("--max-drop", "5"), "For 5 percentage points write --max-drop 0.05"),
        (("--max-drop", "0.1", "--tier", "tier9"), "there is no tier 'tier9'"),
        (("--max-drop", "0.1", "--on-unclear", "maybe"), "maybe"),
        (("--markdown", "."), "this is a directory"),
    ],
)
def test_misuse_ends_with_2(tellapart, tmp_path, options, said):
    done = tellapart("bundles", "compare", *broken_1(tmp_path), *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
