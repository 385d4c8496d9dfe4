from dataclasses import replace

from codesearch.learning.learnt_cases import FAILED, made
from tellapart.codesearch.learning.labels import basis_of, label, label_cases
from tellapart.codesearch.model import Explored

CASE = made("c", found="ab", missed="m", noise="n", judged="j", failed="f")
NOBODY = {"run_a": Explored("a", (), FAILED), "run_b": Explored("b", (), FAILED)}


def test_each_file_is_relevant_noise_missed_or_open():
    judged = label(CASE, "judged")
    assert (judged.relevant, judged.noise, judged.missed, judged.open) == tuple(
        map(frozenset, ("abj", "n", "m", "f"))
    )
    assert judged.missed_seen and judged.noise_seen
    # Without regard to missing verdicts, noise is what no exploration found and nobody called relevant.
    union = label(CASE, "union")
    assert (union.noise, union.open) == (frozenset("nf"), frozenset())


def test_one_verdict_makes_the_basis_and_failed_ones_do_not():
    assert basis_of([CASE]) == "judged"
    assert basis_of([made("c", found="a", failed="fg"), made("d", noise="")]) == "union"


def test_where_both_explorations_failed_nothing_is_missed_and_without_verdicts_nothing_is_noise():
    alone = replace(made("c", noise="n", failed="f"), **NOBODY)
    assert not label(alone, "judged").missed_seen
    assert label(alone, "judged").noise == frozenset("n") and label(alone, "judged").noise_seen
    union = label(alone, "union")
    assert (union.noise, union.open, union.noise_seen) == (frozenset(), frozenset("nf"), False)
    one_failed = replace(made("c", noise="n"), run_a=Explored("a", (), FAILED))
    assert label(one_failed, "union").noise == frozenset("n")


def test_files_of_a_term_alone_are_known_by_the_system_or_the_contents_but_not_by_paths():
    led = {"a": ("Todo",), "n": ("todo", "Draft"), "gone": ("draft",)}
    (by_system,) = label_cases([made("c", found="a", noise="no", led=led)], "judged")
    assert by_system.terms == {"todo", "draft"}
    assert by_system.by_file == {"a": {"todo"}, "n": {"todo", "draft"}, "o": frozenset()}
    assert (by_system.alone("todo"), by_system.alone("draft")) == (frozenset("a"), frozenset())
    (by_contents,) = label_cases([made("c", found="a", noise="no", held=led)], "judged")
    assert (by_contents.trace, by_contents.alone("todo")) == ("contents", frozenset("a"))
    files = ("r/todo.py", "r/draft_todo.py")
    (by_path,) = label_cases([made("c", noise=files, terms=["todo", "draft", " "])], "judged")
    assert by_path.trace == "path" and by_path.terms == {"todo", "draft"}
    assert by_path.by_file["r/todo.py"] == {"todo"} and by_path.alone("todo") == frozenset()
