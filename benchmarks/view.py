"""Seconds until a person sees something in Chromium, and the memory of the server, of ``tellapart view``.

- A generated table of 100,000 items and 20 models of right and wrong: the list of runs with its verdict, the
  comparison, its items, a filter and an item; then the static page of the same scores (``tellapart audit
  --html``): the time to write it, its size, and the time until its choices can be used.
- A generated log of Inspect with questions and answers: the list of logs, the list of samples and one sample,
  in ``tellapart view`` and in ``inspect view``, each with a server of its own.

Each time is from the click, or from opening the address, until what is named is on the screen; a server is
started anew for each side and holds nothing before. Memory is the peak that the kernel saw of the server.

Usage: python benchmarks/view.py [--items N] [--models N] [--samples N]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import polars as pl
from playwright.sync_api import Page, sync_playwright

LONGEST_MS = 120_000


def write_table(path: Path, items: int, models: int) -> None:
    """Write scores of models of rising ability on items of all difficulties, with a column of four values."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(scale=1.5, size=items)
    chance = 1 / (1 + np.exp(difficulty - np.linspace(-1, 1, models)[:, None]))
    names = np.array([f"item-{i:06d}" for i in range(items)])
    area = np.array(["north", "south", "west", "east"])[np.arange(items) % 4]
    pl.DataFrame(
        {
            "model": np.repeat([f"model-{m:02d}" for m in range(models)], items),
            "item": np.tile(names, models),
            "score": (rng.random(chance.shape) < chance).astype(float).ravel(),
            "area": np.tile(area, models),
        }
    ).write_parquet(path)


def write_inspect_log(path: Path, samples: int) -> None:
    """Write a log of one model with a question of some 300 letters and an answer for every sample."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
    from inspect_ai.scorer import Score

    rng = np.random.default_rng(1)
    made = []
    for place in range(samples):
        question = f"Question {place}: " + " ".join(["how many barrels does the granary store"] * 7)
        answer = f"{rng.integers(100)} barrels"
        output = ModelOutput.from_content("mockllm/model", answer)
        made.append(
            EvalSample(
                id=f"sample-{place:06d}",
                epoch=1,
                input=question,
                target="7 barrels",
                messages=[ChatMessageUser(content=question), ChatMessageAssistant(content=answer)],
                output=output,
                scores={"match": Score(value="C" if rng.random() < 0.6 else "I", answer=answer)},
            )
        )
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="granaries",
        task_id="granaries",
        model="mockllm/model",
        dataset=EvalDataset(name="granaries", samples=samples),
        config=EvalConfig(),
    )
    write_eval_log(EvalLog(status="success", eval=spec, samples=made), str(path))


@contextmanager
def serving(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield server
    finally:
        server.terminate()
        server.wait()


def peak_gb(server: subprocess.Popen[str]) -> float:
    """The highest resident memory of a server, without its children."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) * 1024 / 1e9


def timed(what: str, act: Callable[[], object], seen: Callable[[], object]) -> None:
    start = perf_counter()
    act()
    seen()
    print(f"  {what}: {perf_counter() - start:.2f} s", flush=True)


def of_table(page: Page, folder: Path) -> None:
    with serving("tellapart", "view", str(folder), "--no-open") as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        timed("list of runs", lambda: page.goto(address), lambda: page.wait_for_selector("tbody tr td"))
        timed(
            "its verdict",
            lambda: None,
            lambda: page.wait_for_selector("td:has-text('Use ')"),
        )
        link = page.get_by_role("link", name="scores.parquet")
        timed("comparison", link.click, lambda: page.wait_for_selector(".heat", state="attached"))
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        page.get_by_text("What would it take").wait_for()
        cell = page.locator(".heat td a").first
        timed("items of a pair", cell.click, lambda: page.wait_for_selector(".list a"))
        filters: dict[str, Callable[[], object]] = {
            "filter by a column": lambda: page.get_by_label("area").select_option("west"),
            "filter by outcome": lambda: page.get_by_label("Outcome").select_option("a"),
            "search in ids": lambda: (
                page.get_by_label("Search ids").fill("7") or page.keyboard.press("Enter")
            ),
        }
        for what, act in filters.items():
            number = page.locator("h1").inner_text()
            timed(what, act, page.locator(f"h1:not(:text-is('{number}'))").wait_for)
        item = page.locator(".list a").first
        timed("an item", item.click, lambda: page.wait_for_selector(".both"))
        print(f"  peak of the server: {peak_gb(server):.2f} GB")


def of_static_page(page: Page, folder: Path) -> None:
    html = folder.parent / "audit.html"
    command = [
        sys.executable,
        "-m",
        "tellapart",
        "audit",
        str(folder / "scores.parquet"),
        "--html",
        str(html),
    ]
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"  written: {perf_counter() - start:.1f} s, {html.stat().st_size / 1e6:.1f} MB")
    # The list of items is filled by the script, so that it is there when the page can be used.
    filters = page.locator("#items-filters select").first
    timed("opened", lambda: page.goto(html.as_uri()), lambda: filters.wait_for(state="attached"))
    section = page.locator("main > section > details > summary", has_text="Item by item")
    timed("its items", section.click, filters.wait_for)


def of_log(page: Page, folder: Path) -> None:
    with serving("tellapart", "view", str(folder), "--no-open") as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        link = page.get_by_role("link", name=re.compile("eval$"))
        timed("list of logs", lambda: page.goto(address), link.wait_for)
        timed("list of samples", link.click, lambda: page.wait_for_selector(".list a"))
        timed("a sample", page.locator(".list a").first.click, lambda: page.wait_for_selector(".both pre"))
        second = page.locator(".list a").nth(1)
        name = second.get_attribute("data-item")
        timed("the next one", second.click, lambda: page.locator(f".detail h2:text-is('{name}')").wait_for())
        print(f"  peak of the server: {peak_gb(server):.2f} GB")


def of_inspect(page: Page, folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ("--log-dir", str(folder), "--port", str(port), "--host", "127.0.0.1")
    with serving("inspect_ai", "view", "start", *arguments) as server:
        address = f"http://127.0.0.1:{port}/"
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 0.1).close()
                break
            except OSError:
                page.wait_for_timeout(100)
        timed("list of logs", lambda: page.goto(address), page.get_by_text("granaries").first.wait_for)
        log = page.get_by_text("granaries").first
        timed("list of samples", log.click, page.get_by_text("Question 0:").first.wait_for)
        sample = page.get_by_text("Question 0:").first
        timed("a sample", sample.click, lambda: page.wait_for_url(re.compile("sample")))
        print(f"  peak of the server: {peak_gb(server):.2f} GB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--samples", type=int, default=10_000)
    wanted = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("there is no chromium on PATH (Debian: apt-get install chromium)")
    switches = ["--no-sandbox"] if os.geteuid() == 0 else []
    with TemporaryDirectory() as directory, sync_playwright() as playwright:
        tables, logs = Path(directory) / "tables", Path(directory) / "logs"
        tables.mkdir()
        logs.mkdir()
        write_table(tables / "scores.parquet", wanted.items, wanted.models)
        start = perf_counter()
        log = logs / "2026-01-01T00-00-00+00-00_granaries_x.eval"
        write_inspect_log(log, wanted.samples)
        size = log.stat().st_size / 1e6
        print(
            f"{wanted.samples:,} samples in a log of {size:.1f} MB, {perf_counter() - start:.0f} s to write"
        )
        browser = playwright.chromium.launch(executable_path=chromium, args=switches)
        for what, measure, folder in (
            (f"{wanted.items:,} items x {wanted.models} models: tellapart view", of_table, tables),
            ("the same: tellapart audit --html", of_static_page, tables),
            (f"log of {wanted.samples:,} samples: tellapart view", of_log, logs),
            ("the same: inspect view", of_inspect, logs),
        ):
            print(what, flush=True)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(LONGEST_MS)
            measure(page, folder)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
