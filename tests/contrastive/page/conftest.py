import pytest

from contrastive.page.stored_llms import write_llm_record
from contrastive.page.stored_record import write_record
from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.page import load
from tellapart.store import RunDirectory

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--"
VERBS = ("Count", "Merge", "Parse", "Remove", "Sort", "Split", "Store", "Validate")
NOUNS = ("account", "basket", "customer", "discount", "invoice", "order", "payment", "shipment")


@pytest.fixture
def llm_view(tmp_path):
    """The record with language models written by hand."""
    return load(RunDirectory.open(write_llm_record(tmp_path / "llms")))


@pytest.fixture
def llm_view_of(tmp_path):
    """Make the same record with other figures, another record of the run, or other items."""

    def make(**changes):
        return load(RunDirectory.open(write_llm_record(tmp_path / "other", **changes)))

    return make


@pytest.fixture(scope="session")
def view(tmp_path_factory):
    """The record written by hand."""
    return load(RunDirectory.open(write_record(tmp_path_factory.mktemp("record") / "run")))


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    """A real run of three models on a small repository, one unit of which holds hostile text."""
    root = tmp_path_factory.mktemp("tiny")
    repository = root / "shop"
    repository.mkdir()
    for noun in NOUNS:
        (repository / f"{noun}.py").write_text(
            "\n\n".join(_function(verb, noun) for verb in VERBS), encoding="utf-8"
        )
    (repository / "hostile.py").write_text(_hostile(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TELLAPART_CACHE", str(root / "vectors.sqlite"))
        draft = building.draft([repository], BuildOptions(targets=100, seed=3))
        building.freeze(draft, root / "benchmark")
        return running.run(root / "benchmark", ["bm25", "tfidf", "lsa"], out=root / "run")


def _function(verb, noun):
    """One of 64; bits of its number add statements, and its summary may name a wrong noun or none."""
    number = 8 * VERBS.index(verb) + NOUNS.index(noun)
    named = (f"every {noun}", f"every {NOUNS[number * 5 % 8]}", "everything")[number % 3]
    done = f"{verb.lower()}ed"
    optional = [
        f"    if not {noun}s:\n        return None",
        f"    {noun}s = sorted({noun}s)",
        f"    while len({noun}s) > limit:\n        {noun}s.pop()",
        f"    {done}[limit] = limit + 1",
        f"    del {done}[0]",
        f"    {noun}s.update(limit=limit * 2)",
    ]
    lines = [
        f"def {verb.lower()}_{noun}s({noun}s, limit=None):",
        f'    """{verb} {named} that is open, up to a limit."""',
        f"    {done} = []",
        f"    for {noun} in {noun}s[:limit]:",
        f"        {done}.append({noun}.{verb.lower()}())",
        *(statement for bit, statement in enumerate(optional) if number >> bit & 1),
        f"    return {done}",
    ]
    return "\n".join(lines)


def _hostile():
    """A unit with text that would become markup, and one longer than is shown."""
    long = "\n".join(f"    total += weights[{i}] * values[{i}]" for i in range(150))
    return (
        f'def render_banner(title):\n    """Render the banner {HOSTILE} of a page."""\n'
        f"    banner = '''{HOSTILE}'''\n    if title:\n        banner += title\n"
        "    else:\n        banner += 'x'\n    return banner\n\n\n"
        'def weigh_everything(weights, values):\n    """Weigh everything in one long sum of products."""\n'
        f"    total = 0\n{long}\n    return total\n"
    )
