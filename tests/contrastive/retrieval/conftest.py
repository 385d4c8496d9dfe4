import pytest

from contrastive.fakes import make_benchmark, make_unit
from tellapart.contrastive import building

CODE = "def {name}():\n    # Give back what {name} is made of.\n    return {name}\n"


@pytest.fixture
def searched(tmp_path):
    """A frozen benchmark: six targets in three files, a writer about all of them, and one about four."""
    names = ("apple", "berry", "cherry", "date", "elder", "fig")
    units = [
        make_unit(name, path=f"{'abc'[i % 3]}.py", line=1 + 20 * i, content=CODE.format(name=name))
        for i, name in enumerate(names)
    ]
    summaries = [(name, "plain", f"This returns the {name} itself.") for name in names]
    summaries += [(name, "terse", f"Something of {name[:3]} fruit.") for name in names[:4]]
    sets = [("easy", name, [other for other in names if other != name][:4]) for name in names]
    building.freeze(make_benchmark(units, summaries, sets), tmp_path / "bench")
    return tmp_path / "bench"
