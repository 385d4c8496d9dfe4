import pytest

from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.llm_matching import OrderPlan
from tellapart.contrastive.page import load
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond
from tellapart.offline.contrastive import overlap

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--"
VERBS = ("Count", "Merge", "Parse", "Remove", "Sort", "Split", "Store", "Validate")
NOUNS = ("account", "basket", "customer", "discount", "invoice", "order", "payment", "shipment")


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """A small repository, one unit of which holds hostile text."""
    repository = tmp_path_factory.mktemp("repository") / "shop"
    repository.mkdir()
    for noun in NOUNS:
        (repository / f"{noun}.py").write_text(
            "\n\n".join(_function(verb, noun) for verb in VERBS), encoding="utf-8"
        )
    (repository / "hostile.py").write_text(_hostile(), encoding="utf-8")
    return repository


@pytest.fixture(scope="session")
def tiny_run(shop, tmp_path_factory):
    """A real run of three models, names unmasked."""
    root = tmp_path_factory.mktemp("tiny")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TELLAPART_CACHE", str(root / "vectors.sqlite"))
        options = BuildOptions(targets=100, seed=3, mask_names=False)
        building.freeze(building.draft([shop], options), root / "benchmark")
        return running.run(root / "benchmark", ["bm25", "tfidf", "lsa"], out=root / "run")


@pytest.fixture(scope="session")
def view(tiny_run):
    return load(tiny_run)


@respond("hasty")
def hasty(prompt):
    """Answers as ``overlap`` does, but a third of its replies cannot be read."""
    return overlap(prompt) if len(prompt) % 3 else "I cannot say."


@pytest.fixture(scope="session")
def llm_view(shop, tmp_path_factory):
    """Two language models in two orders, twice each, beside bm25; names are masked."""
    root = tmp_path_factory.mktemp("llms")
    options = BuildOptions(targets=12, seed=3, levels="easy,ladder,pool")
    building.freeze(building.draft([shop], options), root / "benchmark")
    run = running.run(
        root / "benchmark",
        ["bm25"],
        llms=[LanguageModel("offline/overlap"), LanguageModel("offline/hasty")],
        plan=OrderPlan(orders=2, repeats=2),
        limits=Limits(max_failures=0),
        out=root / "run",
    )
    return load(run)


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
