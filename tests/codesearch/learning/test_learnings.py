from dataclasses import replace

from codesearch.learning.learnt_cases import FAILED, evaluation, made, named
from tellapart.codesearch.learn import learnings, summary
from tellapart.codesearch.model import Explored


def world(size=12):
    """Conversations in three areas, with a noisy term, a missed directory and a failed verdict."""
    cases = []
    for n in range(size):
        found, noise = named(f"f{n}_", 3), [f"r/src/n{n}{x}.py" for x in "abc"]
        led = dict.fromkeys(found, ["Good"]) | {found[0]: ["good", "other"]} | dict.fromkeys(noise, ["bad"])
        missed, failed = named(f"m{n}_", 2, "r/lib/views"), ["r/src/open.PY"] if n == 0 else []
        files = {"found": found, "noise": noise, "missed": missed, "failed": failed}
        cases.append(made(f"c{n}", area="xyz"[n % 3], led=led, **files))
    return cases


def test_a_planted_term_and_a_planted_directory_come_first():
    found = learnings(evaluation(*world()))
    assert found.basis == "judged"
    assert {row.term: (row.noise, row.relevant, row.conversations) for row in found.terms} == {
        "bad": (36, 0, 12),
        "other": (0, 12, 12),
        "good": (0, 36, 12),
    }
    assert found.terms[0].term == "bad"
    share = found.terms[0].noise_share
    # Twelve conversations that all agree: 36 files count as no more than twelve.
    assert share.value == 1 and 0.7 < share.low < 0.8
    assert [(row.place, row.missed, row.found, row.noise) for row in found.places] == [
        ("*.py", 24, 36, 36),
        ("r", 24, 36, 36),
        ("r/lib/views", 24, 0, 0),
        ("r/src", 0, 36, 36),
    ]
    assert found.places[0].recall.value == 36 / 60
    assert found.notes == (
        "1 of 37 files that only the system found have no verdict, and count neither as noise nor as "
        "relevant",
    )
    assert summary(found) == [
        "search terms that led to most noise (files): 'bad' 36 of 36",
        "places with most missed files: *.py 24 of 60, r 24 of 60, r/lib/views 24 of 24",
    ]
    assert learnings(evaluation(*reversed(world()))) == found


def test_where_nothing_was_judged_noise_is_what_no_exploration_found():
    cases = [replace(case, verdicts={}) for case in world(3)]
    found = learnings(evaluation(*cases))
    assert found.basis == "union" and found.terms[0].noise == 9
    assert found.notes == (
        "3 conversations show where to look, not what a change would bring: evaluate it on others",
        "nothing was judged: noise is every file that no exploration found",
    )
    failed = {"run_a": Explored("a", (), FAILED), "run_b": Explored("b", (), FAILED)}
    alone = learnings(evaluation(replace(made("c", noise=["r/n"]), verdicts={}, **failed)))
    assert alone.places == () and "nothing is known to be missed there" in " ".join(alone.notes)


def test_terms_are_traced_by_paths_where_the_system_says_nothing():
    by_path = learnings(evaluation(made("c", noise=["r/list_of_todo.py", "r/x.py"], terms=["todoList", " "])))
    assert [(row.term, row.noise) for row in by_path.terms] == [("todolist", 1)]
    assert by_path.notes[-1].endswith("files are traced by the words of their paths")
    untold = learnings(evaluation(made("c", noise=["r/x.py"])))
    assert untold.notes[-1] == "noise cannot be traced to search terms in c, which have none"
