"""Pages of every suite, made by commands from hostile names, texts, code and replies, in real Chromium.

Every piece of markup in these carries ``data-owned``, every script sets ``owned``: neither may come to be.
What else a page must not do, load anything or complain, is checked wherever a page is opened.
"""

import json
import random
import sys

import pytest

from report.opened import has_colours_of_dark_and_paper, opened, reads_well
from tellapart.cli.main import main

SCRIPT = "window.owned=1;document.title=`owned`"
PAYLOADS = [
    f"</script><script data-owned>{SCRIPT}</script>",
    f'<img data-owned src=x onerror="{SCRIPT}">',
    f'" data-owned onmouseover="{SCRIPT}" x="',
    f"' data-owned onfocus='{SCRIPT}' autofocus x='",
    f'<svg data-owned onload="{SCRIPT}"><foreignObject>',
    f'<a data-owned href="javascript:{SCRIPT}">click</a>',
    f"[click](javascript:{SCRIPT})",
    f"javascript:{SCRIPT}//",
    "</style><style data-owned>*{display:none}</style>",
    "}*{background:url(http://127.0.0.1:9/css)}",
    '<iframe data-owned src="http://127.0.0.1:9/frame"></iframe>',
    '<base data-owned href="http://127.0.0.1:9/"><meta data-owned http-equiv=refresh content="0;url=//host">',
    "</title></textarea></template></noscript><b data-owned>",
    "<!--<script>--!> ]]> <![CDATA[",
    "{{7*1337}} ${7*1337} {% raw %} <%= 7*1337 %> #{7*1337}",
    '","x":{"__proto__":{"owned":1}},"\\u003c/script\\u003e',
    "\u2028\u2029 gpj.\u202eexe\u202c \u200b\u00a0 end",
]
OBJECT = ("constructor", "toString", "valueOf", "hasOwnProperty")
ALL = " ".join(PAYLOADS)
COMES_TO_BE = """() => {
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  document.querySelectorAll("*").forEach((one) => {
    for (const kind of ["mouseover", "mouseenter", "focus", "load", "error"]) {
      if (!(one instanceof HTMLLinkElement)) one.dispatchEvent(new Event(kind));
    }
  });
  const handlers = [...document.querySelectorAll("*")].filter((one) =>
    [...one.attributes].some((a) => a.name.startsWith("on")));
  const links = [...document.querySelectorAll("[href], [src], [action]")].filter((one) =>
    /^\\s*(javascript|data|http):/i.test(one.getAttribute("href") || one.getAttribute("src") || ""));
  return {
    owned: window.owned ?? {}.owned ?? null,
    marked: document.querySelectorAll("[data-owned]").length,
    handlers: handlers.length,
    links: links.map((one) => one.outerHTML.slice(0, 200)),
    title: /^owned/.test(document.title),
    template: /\\b9359\\b/.test(document.body.innerText),
    hidden: getComputedStyle(document.body).display === "none",
  };
}"""


def audit(tellapart, directory):
    rows = [
        {
            "model": f"{model} {PAYLOADS[model]}",
            "item": f"{item} {PAYLOADS[item]} {ALL}",
            "score": score,
            "kind": OBJECT[item % 4],
        }
        for model in (0, 1, 16)
        for item in range(len(PAYLOADS))
        for score in [random.Random(f"{model} {item}").random()]
    ]
    (directory / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    tellapart("audit", "scores.jsonl", "--html", "page.html")


def contrastive(tellapart, directory):
    code = directory / "code"
    code.mkdir()
    for number, noun in enumerate(("rows", "orders", "tokens", "pages", "users")):
        functions = [
            f'def {verb}_{noun}(x="""{PAYLOADS[(number * 5 + n) % len(PAYLOADS)]}"""):\n'
            f"    r'''{verb.capitalize()} all {noun} {number}: {PAYLOADS[(number + n) % len(PAYLOADS)]}'''\n"
            f"    kept_{noun} = []\n    for one in {noun}:\n"
            f"        kept_{noun}.append({verb}(one, {number}))\n"
            f"    limit = {n} * len(kept_{noun})\n    return kept_{noun}[limit:]\n"
            for n, verb in enumerate(("filter", "merge", "parse", "count", "rename"))
        ]
        (code / f"{noun} <b data-owned>.py").write_text("\n\n".join(functions))
    tellapart("contrastive", "build", "code", "--out", "bench", "--targets", 8, "--levels", "trivial,easy")
    tellapart("contrastive", "run", "bench", "--model", "bm25", "--model", "tfidf", "--out", "chosen")
    tellapart("contrastive", "report", "chosen", "--html", "page.html")


def bundles(tellapart, directory):
    rows = [
        {
            "query": f"words {number} {ALL}",
            "positive": [f"words {number} {PAYLOADS[number % len(PAYLOADS)]}"],
            "negative": [f"{ALL} {other}" for other in "abc"],
        }
        for number in range(20)
    ]
    name = "eval <b data-owned>.jsonl"
    (directory / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    for model in ("bm25", "tfidf"):
        tellapart("bundles", "score", name, "--model", model, "--out", f"{model} <img data-owned>.json")
    boards = [f"{model} <img data-owned>.json" for model in ("bm25", "tfidf")]
    tellapart("bundles", "report", *boards, "--html", "page.html")


def codesearch(tellapart, directory):
    conversations = []
    for number, payload in enumerate(PAYLOADS):
        place = directory / "code" / "app" / f"pins {number} <b data-owned>' onfocus=x.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f'def show_pins_{number}():\n    """Pins {number}: {ALL}"""\n')
        conversations.append(
            {
                "conversation_id": f"c{number} {payload}",
                "issue_summary": f"pins {number} are not shown: {ALL}",
                "product_area": f"area {payload}",
                "search_results": {
                    "files_found": [f"app/{place.name}", f"app/gone {number} {payload.replace('/', '-')}.py"],
                    "search_terms_used": ["pins", payload],
                    "exploration_log": [{"step": payload}],
                },
            }
        )
    record = {"iteration_number": 1, "timestamp": "2026-01-15T15:30:00Z", "conversations": conversations}
    (directory / "results.json").write_text(json.dumps(record | {"system": ALL}))
    repositories = ("--repos-path", "code", "--repo", "app")
    evaluate = ("codesearch", "evaluate", *repositories, "--in", "results.json")
    tellapart(*evaluate, "--out", "evaluation.json")
    tellapart("codesearch", "report", "evaluation.json", "--html", "page.html")


def longcontext(tellapart, directory):
    steps = answers = ""
    for number, payload in enumerate(PAYLOADS):
        kind, question = (
            payload[:30].replace(")", "").strip(),
            f"How many did Zhang {number} enrol? {payload}",
        )
        steps += f"=== MESSAGE {number + 1} ===\nZhang {number} enrolled {number + 300} adults. {payload}\n\n"
        steps += f"=== CHECKPOINT C1-{number + 1} ({kind}) ===\n{question}\n\n"
        answers += f"C1-{number + 1}:\n  Q: {question}\n  A: {number + 300} {payload}\n\n"
    (directory / "case <b data-owned>.txt").write_text(f"=== SYSTEM PROMPT ===\n{ALL}\n\n{steps}")
    (directory / "answers.txt").write_text(answers)
    (directory / "assistant.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    print(json.dumps({'content': '42 ' + "
        + repr(ALL)
        + "}), flush=True)\n"
    )
    command = ("--command", "python assistant.py", "--name", f"mine {PAYLOADS[1]}")
    tellapart("longcontext", "run", "case <b data-owned>.txt", *command, "--run", "played")
    tellapart("longcontext", "grade", "played", "--answers", "answers.txt", "--run", "graded")
    tellapart("longcontext", "report", "graded", "--html", "page.html")


MAKERS = (audit, contrastive, bundles, codesearch, longcontext)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages, by who made them; made before there is a browser, with which no event loop can be run."""
    made = {}
    for make in MAKERS:
        directory = tmp_path_factory.mktemp(make.__name__)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(directory)
            patch.setenv("TELLAPART_INDEX", str(directory / "index"))

            def run(*arguments, patch=patch):
                patch.setattr(sys, "argv", ["tellapart", *map(str, arguments)])
                with pytest.raises(SystemExit) as stop:
                    main()
                assert stop.value.code in (0, None, 3, 4), arguments

            make(run, directory)
        made[make.__name__] = directory / "page.html"
    return made


@pytest.mark.process
@pytest.mark.parametrize("name", [make.__name__ for make in MAKERS])
def test_nothing_hostile_comes_to_be_on_any_page(name, pages, chromium):
    with opened(chromium, pages[name]) as page:
        assert {what: found for what, found in page.evaluate(COMES_TO_BE).items() if found} == {}
        assert "\u202e" not in page.inner_text("body"), "what turns the order of letters round is shown"
        assert "data-owned" in page.content(), "nothing hostile is on the page: the test checks nothing"


@pytest.mark.process
@pytest.mark.parametrize("name", ["audit", "contrastive", "bundles", "longcontext"])
def test_a_page_reads_well_at_any_width_in_the_dark_and_on_paper(name, pages, chromium):
    with opened(chromium, pages[name]) as page:
        reads_well(page)
        has_colours_of_dark_and_paper(page)
