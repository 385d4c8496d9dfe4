"""The page in a real browser, driven by mouse and by keys."""

import csv
import json
import os
import re
import shutil
import socket
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import polars as pl
import pytest
from playwright.sync_api import expect

from tellapart.view.folder import entries
from view.test_labelling import MODELS, judged

pytest.importorskip("starlette")

TOKEN = "token-of-a-test"
FIXTURES = Path(__file__).parents[1] / "readers/fixtures"
HOSTILE = "<img src=x onerror=window.hacked=1>"


@contextmanager
def serving(folder):
    """The address of a server of a folder."""
    import uvicorn

    from tellapart.view.server import application

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    # Who comes before the server has started is kept waiting.
    listening.listen()
    port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(application(folder, TOKEN, port), log_level="error"))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture(scope="module")
def address(stored, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served") / "folder"
    shutil.copytree(stored, folder)
    with serving(folder) as address:
        yield address


@pytest.fixture
def page(chromium):
    """A page whose errors and requests to other places fail the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    ours = ("http://127.0.0.1:", "data:", "blob:")
    page.on("request", lambda one: None if one.url.startswith(ours) else wrong.append(one.url))
    page.set_default_timeout(5_000)
    yield page
    context.close()
    assert wrong == []


def opened(page, address):
    page.goto(f"{address}/?token={TOKEN}")
    page.wait_for_selector("tbody tr")
    expect(page.locator("#state")).to_have_text("")


def test_from_the_folder_to_the_two_answers_in_three_clicks(page, address):
    opened(page, address)
    page.get_by_role("link", name="longcontext/runs/graded").click()
    page.wait_for_selector("#table-differences")
    assert " cannot be told apart yet" in page.locator("h1").inner_text()
    page.locator("#table-differences td a").first.click()
    page.wait_for_selector(".list a")
    assert page.locator("h1").inner_text().startswith("4 items:")
    page.locator(".list a").first.click()
    page.wait_for_selector(".both section:nth-child(2)")
    texts = page.locator(".both pre").all_inner_texts()
    assert len(texts) == 2
    assert texts[0] != texts[1]
    assert page.locator(".both mark").count() > 0
    # The address shows the same in another window.
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".both pre")
    assert other.locator(".both pre").all_inner_texts() == texts


def test_models_of_several_runs_are_ticked_and_what_would_separate_them_is_planned(page, address):
    opened(page, address)
    for name in ("contrastive/runs/embedding", "contrastive/runs/matchers"):
        page.get_by_role("checkbox", name=f"Tick {name}").check()
    page.get_by_role("button", name="Compare 2 runs").click()
    page.wait_for_selector("#table-differences")
    heads = page.locator("#table-first-ranking tbody th").all_inner_texts()
    assert {"hashing", "lsa", "offline/overlap"} < set(heads)
    assert any(head.startswith("bm25 (") for head in heads)
    page.get_by_label("lsa", exact=True).uncheck()
    page.locator("summary", has_text="What would it take?").click()
    expect(page.locator("#table-first-ranking tbody th").filter(has_text="lsa")).to_have_count(0)
    page.get_by_label("True gap").fill("10")
    planned = re.compile(r"A gap of 10\.\d points takes [\d,]+ items \(there are \d+\)")
    expect(page.locator("output")).to_have_text(planned)


def test_what_is_shown_is_saved_as_csv_and_markdown(page, address):
    def saved(button):
        with page.expect_download() as download:
            page.get_by_role("button", name=button, exact=True).click()
        return download.value

    opened(page, address)
    page.get_by_label("Search paths").fill("longcontext/runs/graded")
    rows = list(csv.DictReader(saved("CSV").path().read_text().splitlines()))
    assert [(row["run"], row["items"]) for row in rows] == [("longcontext/runs/graded", "12")]
    page.get_by_role("link", name="longcontext/runs/graded").click()
    page.wait_for_selector("#table-differences")
    page.locator("#table-differences td a").first.click()
    page.wait_for_selector(".list a")
    rows = list(csv.DictReader(saved("CSV").path().read_text().splitlines()))
    assert [row["item"] for row in rows] == [
        link.get_attribute("data-item") for link in page.locator(".list a").all()
    ]
    assert {(row["score of offline/recalls"], row["score of offline/guesses-16k"]) for row in rows} == {
        ("1", "0")
    }
    assert {row["length"] for row in rows} == {"1,000", "2,000"}
    lines = saved("Markdown").path().read_text().splitlines()
    assert lines[0] == "4 items: offline/recalls and offline/guesses-16k"
    assert len(lines) == 4 + len(rows)
    # What separates cells in some program, or begins a formula, does neither.
    cells = "[['x;=1+1'], ['y\\tz'], ['=1+1'], [-2]]"
    text = page.evaluate(f"import('/assets/export.js').then((one) => one.FORMS.csv.text('', ['a'], {cells}))")
    assert text == 'a\n"x;\'=1+1"\n"y\tz"\n\'=1+1\n-2\n'


def test_keys_go_on_to_the_next_page_of_items_and_all_of_them_are_saved(page, tmp_path):
    rows = [(f"i{n:03d}", m, float(m == "a" and n in (5, 230))) for n in range(250) for m in ("a", "b")]
    pl.DataFrame(rows, schema=["item", "model", "score"], orient="row").write_csv(tmp_path / "scores.csv")
    with serving(tmp_path) as address:
        opened(page, address)
        run = entries(tmp_path)[0].id
        page.goto(f"{address}/?token={TOKEN}#/items?run={run}&a=a&b=b&order=id&item=i099")
        heading = page.locator(".detail h2")
        # The last of this page, the first of the next, back, and far on to where the two differ.
        for key, item in {"": "i099", "j": "i100", "k": "i099", "n": "i230"}.items():
            page.keyboard.press(key) if key else None
            expect(heading).to_have_text(item)
        expect(page.locator(".list [aria-current]")).to_have_attribute("data-item", "i230")
        page.keyboard.press("n")
        expect(page.locator("#state")).to_have_text("A and B differ on no later item.")
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV", exact=True).click()
        saved = list(csv.DictReader(download.value.path().read_text().splitlines()))
        assert [row["item"] for row in saved] == [f"i{n:03d}" for n in range(250)]


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_no_view_is_wider_than_its_window(chromium, address, width):
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        opened(page, address)
        steps = ("link", "#table-differences"), ("#table-differences td a", ".list a"), (".list a", ".both")
        for step, awaited in steps:
            assert page.evaluate("document.documentElement.scrollWidth") <= width, step
            graded = page.get_by_role("link", name="longcontext/runs/graded")
            (graded if step == "link" else page.locator(step).first).click()
            page.wait_for_selector(awaited)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()


def test_nothing_hostile_runs_or_is_fetched(page, tmp_path):
    item = f"{HOSTILE}</script><script>window.hacked=1</script>"
    rows = [
        {"model": model, "item": f"{item} {n}", "score": score, "tier": HOSTILE}
        for model, score in ((HOSTILE, 1.0), ("plain", 0.0))
        for n in range(8)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "scores.csv")
    note = {"item": rows[0]["item"], "label": "broken", "text": f"{HOSTILE} javascript:alert(1)"}
    mode = {"item": rows[0]["item"], "label": HOSTILE, "model": "plain"}
    notes = "".join(f"{json.dumps(one)}\n" for one in (note, mode))
    (tmp_path / "scores.csv.notes.jsonl").write_text(notes)
    with serving(tmp_path) as address:
        opened(page, address)
        page.get_by_role("link", name="scores.csv").click()
        page.wait_for_selector("#table-differences")
        page.locator("#table-differences td a").first.click()
        page.locator(".list a").first.click()
        page.wait_for_selector(".both")
        assert HOSTILE in page.locator(".detail h2").inner_text()
        assert page.locator("textarea").input_value() == note["text"]
        assert page.locator("img").count() == 0
        assert page.evaluate("window.hacked") is None


def test_two_prompts_are_compared_and_code_is_coloured(page, tmp_path):
    log = json.loads((FIXTURES / "promptfoo/prompts.json").read_text(encoding="utf-8"))
    for result in log["results"]["results"]:
        result["response"] = {"output": '{"sum": 4, "of": ["2", "2"]}'}
    (tmp_path / "prompts.json").write_text(json.dumps(log), encoding="utf-8")
    with serving(tmp_path) as address:
        opened(page, address)
        page.get_by_role("link", name="prompts.json").click()
        page.wait_for_selector("#table-differences")
        page.goto(f"{page.url.replace('/compare?', '/items?')}&a=strong · plain&b=strong · polite")
        page.locator(".list a").first.click()
        page.get_by_text("A and B were asked in different words").click()
        prompts = page.locator("section[aria-label^=Prompt] pre")
        assert prompts.all_inner_texts() == ["user: Answer: 2+2", "user: Please answer: 2+2"]
        marks = page.locator("section[aria-label^=Prompt] mark").all_inner_texts()
        assert marks == ["Answer", "Please answer"]
        answer = page.locator("section[aria-label^=Answer] pre").first
        assert answer.locator(".code-string").all_inner_texts() == ['"sum"', '"of"', '"2"', '"2"']
        assert answer.locator(".code-number").all_inner_texts() == ["4"]
        assert answer.inner_text() == '{"sum": 4, "of": ["2", "2"]}'


def test_a_label_is_kept_and_its_item_left_out(page, stored, tmp_path):
    shutil.copytree(stored / "longcontext/runs/graded", tmp_path / "folder/graded")
    with serving(tmp_path / "folder") as address:
        opened(page, address)
        page.get_by_role("link", name="graded").click()
        page.locator("#table-differences td a").first.click()
        page.locator(".list a").first.click()
        page.get_by_role("combobox", name="Label", exact=True).select_option("ambiguous")
        page.get_by_role("textbox", name="Note").fill("which granary?")
        page.get_by_role("button", name="Keep").click()
        page.wait_for_selector("text=/^kept$/")
        item = page.locator(".detail h2").inner_text()
        expect(page.locator(".list a").first).to_have_text(re.compile("· ambiguous$"))
        # What is written and not kept yet is there again.
        page.get_by_role("textbox", name="Note").fill("which of the two?")
        page.locator(".list a").nth(1).click()
        expect(page.get_by_role("textbox", name="Note")).to_have_value("")
        page.locator(".list a").first.click()
        expect(page.get_by_role("textbox", name="Note")).to_have_value("which of the two?")
        page.get_by_role("link", name="compare").click()
        page.get_by_label("Leave labelled items out").check()
        page.wait_for_selector("h1:has-text('No verdict: 1 item was left out')")
    (line,) = (tmp_path / "folder/graded.notes.jsonl").read_text().splitlines()
    assert json.loads(line) == {"item": item, "label": "ambiguous", "text": "which granary?", "model": ""}


def test_failure_modes_are_labelled_by_keys_alone_and_counted(page, tmp_path):
    rows = [
        (model, f"q{n:02d}", int(model == "good" and n % 4 > 0))
        for model in ("good", "bad")
        for n in range(24)
    ]
    pl.DataFrame(rows, schema=["model", "item", "score"], orient="row").write_csv(tmp_path / "scores.csv")
    with serving(tmp_path) as address:
        opened(page, address)
        run = entries(tmp_path)[0].id
        page.goto(f"{address}/?token={TOKEN}#/items?run={run}&a=good&b=bad&outcome=a&order=id&item=q01")
        heading, kept = page.locator(".detail h2"), page.locator(".marked .mode")
        for n, item in enumerate(f"q{n:02d}" for n in range(24) if n % 4):
            expect(heading).to_have_text(item)
            # The answer that is wrong is marked by itself.
            expect(page.locator(".marked h3")).to_have_text(re.compile("^B: bad"))
            if n < 2:
                page.keyboard.press("m")
                page.keyboard.type(("off by one", "wrong unit")[n])
                page.keyboard.press("Enter")
            else:
                page.keyboard.press("1" if n % 3 else "2")
            expect(kept).to_have_text(re.compile("off by one|wrong unit"))
            page.keyboard.press("j")
        expect(page.locator("#state")).to_have_text("This is the last item.")
        counts = page.locator(".modes tbody tr")
        expect(counts.nth(0)).to_contain_text("off by one")
        expect(counts.nth(0).locator("td.number")).to_have_text(["0", "12"])
        expect(counts.nth(1).locator("td.number")).to_have_text(["0", "6"])
        expect(counts.nth(0)).to_contain_text("Only in bad: at least")
        page.keyboard.press("0")
        expect(counts.nth(0).locator("td.number")).to_have_text(["0", "11"])
    labels = [json.loads(line) for line in (tmp_path / "scores.csv.notes.jsonl").read_text().splitlines()]
    assert {one["model"] for one in labels} == {"bad"}
    assert len(labels) == 17


def test_answers_are_labelled_by_keys_alone_and_blind(page, tmp_path, tellapart):
    truth = judged(tmp_path, share=0.6)
    said, responses = [], []

    def listen():
        said.extend([page.content(), *(one.text() for one in responses if "/api/" in one.url)])
        responses.clear()

    with serving(tmp_path) as address:
        opened(page, address)
        page.get_by_role("link", name="scores.csv").click()
        page.locator("summary", has_text="Labels by people").click()
        page.get_by_label("Items, drawn at random").fill("30")
        page.on("response", lambda response: responses.append(response))
        page.get_by_role("button", name="Draw and label").click()
        sheet, status = tmp_path / "scores.csv.labels.csv", page.get_by_role("status").last
        for number in range(60):
            expect(status).to_contain_text(f"{number} of 60 answers labelled")
            listen()
            code = re.search("code=([0-9a-f]+)", page.url)[1]
            if number % 2:
                page.keyboard.press("n")
                page.keyboard.type(str(truth[code]))
                page.keyboard.press("Enter")
                page.keyboard.press("Escape")
            else:
                page.keyboard.press(str(round(truth[code] / 0.2)))
            if number == 40:
                expect(status).to_contain_text("41 of 60 answers labelled")
                page.keyboard.press("k")
                expect(status).to_contain_text(f"Labelled {truth[code]:g}")
                listen()
                page.reload()
                expect(status).to_contain_text(f"Labelled {truth[code]:g}")
                page.keyboard.press("j")
                expect(status).not_to_contain_text("Labelled ")
        expect(page.locator("h1")).to_have_text("All answers are labelled.")
        assert len(said) > 120
        assert not any(name in one for name in MODELS for one in said)
        page.get_by_role("link", name="The verdict, with and without the labels").click()
        expect(page.get_by_text("Without the labels it would say: Use okapi")).to_be_visible()
    rows = pl.read_csv(sheet)
    assert rows["human"].to_list() == [truth[code] for code in rows["code"]]


def test_the_latest_run_of_an_evaluation_leads_to_its_history(page, tmp_path):
    for day in range(4):
        rows = [("m", f"q{n}", int(n % 3 > 0 and not (day == 3 and n < 30))) for n in range(60)]
        file = tmp_path / f"day-{day}.csv"
        pl.DataFrame(rows, schema=["model", "item", "score"], orient="row").write_csv(file)
        os.utime(file, (1_800_000_000 + day, 1_800_000_000 + day))
    with serving(tmp_path) as address:
        opened(page, address)
        page.get_by_role("link", name="History of day-3.csv").click()
        expect(page.locator("h1")).to_have_text(
            re.compile(r"^m lost 33\.3 points \(.* to .*\) at day-3\.csv\.$")
        )
        expect(page.get_by_role("img")).to_have_attribute("aria-label", page.locator("h1").inner_text())
        page.locator("summary", has_text="Every run").click()
        expect(page.locator("tbody tr").first).to_contain_text("✗ m fell")
        page.get_by_role("link", name="Compare day-2.csv and day-3.csv").click()
        expect(page.locator("h1")).to_contain_text("beats")
        page.locator("#home").click()
        expect(page.locator("h1")).to_have_text(f"Runs in {tmp_path.name}")
