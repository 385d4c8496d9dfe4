"""The page in a real browser, driven by mouse and by keys."""

import json
import re
import shutil
import socket
from contextlib import contextmanager
from threading import Thread

import polars as pl
import pytest
from playwright.sync_api import expect

from tellapart.llm.planned import PlannedStep, write_planned

pytest.importorskip("starlette")

TOKEN = "token-of-a-test"
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
    page.on(
        "request",
        lambda request: (
            wrong.append(request.url)
            if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:"))
            else None
        ),
    )
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
    page.wait_for_selector(".heat")
    assert page.locator("h1").inner_text().startswith("Cannot separate offline/recalls from offline")
    page.locator(".heat td a").first.click()
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


def test_by_keys_alone(page, address):
    opened(page, address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.get_by_role("link", name="longcontext/runs/graded").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".heat")
    page.locator(".heat td a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".list a")
    listed = [link.get_attribute("data-item") for link in page.locator(".list a").all()]
    expected = iter([listed[0], listed[1], listed[0], listed[1]])
    for key in "jjkn":
        page.keyboard.press(key)
        expect(page.locator(".detail h2")).to_have_text(next(expected))


def test_models_of_several_runs_are_ticked_and_what_would_separate_them_is_planned(page, address):
    opened(page, address)
    for name in ("contrastive/runs/embedding", "contrastive/runs/matchers"):
        page.get_by_role("checkbox", name=f"Tick {name}").check()
    page.get_by_role("button", name="Compare 2 runs").click()
    page.wait_for_selector(".heat")
    heads = page.locator(".heat >> nth=0 >> thead th").all_inner_texts()
    assert {"hashing", "lsa", "offline/overlap"} < set(heads)
    assert any(head.startswith("bm25 (") for head in heads)
    page.get_by_label("lsa", exact=True).uncheck()
    expect(page.locator(".heat >> nth=0 >> thead th").filter(has_text="lsa")).to_have_count(0)
    page.get_by_label("True gap").fill("10")
    planned = re.compile(r"A gap of 10\.\d points takes [\d,]+ items \(there are \d+\)")
    expect(page.locator("output")).to_have_text(planned)


def test_filters_search_and_sorting_of_runs(page, address):
    opened(page, address)
    whole = page.locator("tbody tr").count()
    page.get_by_label("Suite").select_option("contrastive")
    assert 0 < page.locator("tbody tr").count() < whole
    page.get_by_label("Search paths").fill("summarisers")
    assert page.locator("tbody tr").count() == 1
    assert "text=summarisers" in page.url
    page.get_by_label("Search paths").fill("")
    page.get_by_role("button", name="Run", exact=True).click()
    paths = [text.split("\n")[0] for text in page.locator("tbody tr td:nth-child(2)").all_inner_texts()]
    assert paths == sorted(paths)


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_no_view_is_wider_than_its_window(chromium, address, width):
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        opened(page, address)
        for step in ("longcontext/runs/graded", ".heat td a", ".list a"):
            assert page.evaluate("document.documentElement.scrollWidth") <= width, step
            target = page.get_by_role("link", name=step) if "/" in step else page.locator(step).first
            target.click()
            page.wait_for_selector(
                {"longcontext/runs/graded": ".heat", ".heat td a": ".list a"}.get(step, ".both")
            )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()


def test_nothing_hostile_runs_or_is_fetched(page, tmp_path):
    rows = [
        {
            "model": model,
            "item": f"{HOSTILE}</script><script>window.hacked=1</script> {n}",
            "score": score,
            "tier": HOSTILE,
        }
        for model, score in ((HOSTILE, 1.0), ("plain", 0.0))
        for n in range(8)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "scores.csv")
    note = {"label": "broken", "text": f"{HOSTILE} javascript:alert(1)"}
    (tmp_path / "scores.csv.notes.json").write_text(json.dumps({"notes": {rows[0]["item"]: note}}))
    with serving(tmp_path) as address:
        opened(page, address)
        page.get_by_role("link", name="scores.csv").click()
        page.wait_for_selector(".heat")
        page.locator(".heat td a").first.click()
        page.locator(".list a").first.click()
        page.wait_for_selector(".both")
        assert HOSTILE in page.locator(".detail h2").inner_text()
        assert page.locator("textarea").input_value() == note["text"]
        assert page.locator("img").count() == 0
        assert page.evaluate("window.hacked") is None


def test_a_page_of_another_origin_neither_reads_nor_writes(chromium, stored, tmp_path):
    shutil.copytree(stored / "longcontext/runs/graded", tmp_path / "graded")
    with serving(tmp_path) as ours, serving(tmp_path / "graded") as theirs:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"{theirs}/?token={TOKEN}")
        # It even knows the token. The policy of the page is ours, so it is asked from outside of it.
        asked = [
            context.request.get(f"{ours}/api/runs?token={TOKEN}", headers={"Origin": theirs}),
            context.request.post(
                f"{ours}/api/notes?token={TOKEN}",
                headers={"Origin": theirs, "Content-Type": "application/json"},
                data="{}",
            ),
        ]
        assert [answer.status for answer in asked] == [403, 403]
        assert (
            page.evaluate(f"fetch('{ours}/api/runs?token={TOKEN}').then(() => 'read', () => 'refused')")
            == "refused"
        )
        context.close()
    assert not list(tmp_path.glob("*.notes.json"))


def test_a_run_that_grows_is_followed_until_it_is_complete(page, stored, tmp_path):
    source = stored / "longcontext/runs/graded"
    partial = tmp_path / "folder" / "run.partial"
    shutil.copytree(source, partial)
    record = json.loads((source / "run.json").read_text())
    (partial / "run.json").write_text(json.dumps(record | {"status": "running"}))
    usage = {"input_tokens": 40_000, "output_tokens": 2_000}
    lines = [
        json.dumps({"key": f"{number:064x}", "model": "m", "reply": "yes", "usage": usage}) + "\n"
        for number in range(7)
    ]
    (partial / "calls.jsonl").write_text("".join(lines[:3]))
    with serving(tmp_path / "folder") as address:
        page.goto(f"{address}/?token={TOKEN}")
        page.wait_for_selector("text=3 calls")
        assert page.locator("tbody a").count() == 0
        with (partial / "calls.jsonl").open("a") as calls:
            calls.write("".join(lines[3:]))
        page.wait_for_selector("text=/7 calls, [\\d.]+ a second/")
        # With what is planned, and its price, the rest is known: 7 calls of 5 cents.
        write_planned(partial, {"m": PlannedStep(model="m", calls=20, price=(1.0, 5.0))})
        page.wait_for_selector("text=/7 of 20 calls, [\\d.]+ a second, \\d+ s left, \\$0.35 so far/")
        (partial / "run.json").write_text((source / "run.json").read_text())
        partial.rename(tmp_path / "folder" / "run")
        page.get_by_role("link", name="run", exact=True).wait_for()
        page.wait_for_selector("text=Cannot separate")


def test_a_label_is_kept_and_its_item_left_out(page, stored, tmp_path):
    shutil.copytree(stored / "longcontext/runs/graded", tmp_path / "folder/graded")
    with serving(tmp_path / "folder") as address:
        opened(page, address)
        page.get_by_role("link", name="graded").click()
        page.locator(".heat td a").first.click()
        page.locator(".list a").first.click()
        page.get_by_role("combobox", name="Label", exact=True).select_option("ambiguous")
        page.get_by_role("textbox", name="Note").fill("which granary?")
        page.get_by_role("button", name="Keep").click()
        page.wait_for_selector("text=kept")
        item = page.locator(".detail h2").inner_text()
        page.get_by_role("link", name="compare").click()
        page.get_by_label("Leave labelled items out").check()
        page.wait_for_selector("h1:has-text('No verdict: 1 item was left out')")
    notes = json.loads((tmp_path / "folder/graded.notes.json").read_text())
    assert notes == {"notes": {item: {"label": "ambiguous", "text": "which granary?"}}}
