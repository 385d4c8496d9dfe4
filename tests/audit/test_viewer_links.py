"""Links of pages to Inspect's viewer; the form of its addresses is that of the viewer of Inspect 0.3.285."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tellapart.audit.reading import read_scores
from tellapart.audit.viewer_links import viewer_links
from tellapart.cli.main import app
from tellapart.errors import UsageError

LOGS = Path(__file__).parent / "reading" / "fixtures" / "inspect"


def test_each_sample_of_a_log_has_the_address_of_the_viewer(tmp_path):
    shutil.copy(LOGS / "strong.eval", tmp_path)
    (tmp_path / "more").mkdir()
    log = json.loads((LOGS / "middle.json").read_text())
    log["eval"]["config"]["epochs"] = 1
    log["samples"] = [log["samples"][0] | {"id": "a/b 1", "epoch": 1}]
    (tmp_path / "more" / "one two.json").write_text(json.dumps(log))
    (tmp_path / "other.csv").write_text("model,item,score\n")
    links = viewer_links([tmp_path], "http://host:8080/")
    assert [(link.label, link.log + link.sample) for link in links["facts/q3"]] == [
        (f"mockllm/strong, epoch {epoch}", f"http://host:8080/#/logs/strong.eval/samples/sample/q3/{epoch}")
        for epoch in (1, 2)
    ]
    (link,) = links["facts/a/b 1"]
    assert link.label == "mockllm/middle"
    assert link.log + link.sample == (
        "http://host:8080/#/logs/more/one%20two.json/samples/sample/a%2Fb%201/1"
    )
    assert viewer_links([tmp_path / "more" / "one two.json"], "http://h")["facts/a/b 1"][0].log == (
        "http://h/#/logs/one%20two.json/samples/sample/"
    )
    assert viewer_links([tmp_path / "other.csv"], "http://h") == {}


def test_the_page_of_an_audit_has_the_links_and_another_scheme_is_refused(tmp_path):
    page = tmp_path / "audit.html"
    logs = [str(LOGS / f"{name}.eval") for name in ("strong", "weak")]
    done = CliRunner().invoke(app, ["audit", *logs, "--html", str(page)])
    assert done.exit_code == 0, done.output
    data = page.read_text()
    assert '"http://127.0.0.1:7575/#/logs/strong.eval/samples/sample/"' in data
    assert '["mockllm/weak, epoch 2",1,"q3/2"]' in data
    for more, words in (
        (["--inspect-view", "http://h"], "without --html this has no effect: --inspect-view"),
        (
            ["--inspect-view", "no-url", "--html", str(page)],
            "--inspect-view is 'no-url', expected an address",
        ),
    ):
        refused = CliRunner().invoke(app, ["audit", *logs, *more])
        assert isinstance(refused.exception, UsageError) or refused.exit_code == 2
        assert words in f"{refused.exception} {refused.output}"
        assert refused.stdout == ""
    with pytest.raises(UsageError, match=r"--inspect-view is 'javascript:alert\(1\)', expected an address"):
        viewer_links([LOGS], "javascript:alert(1)")


def test_logs_of_one_model_are_labelled_as_the_audit_calls_them(tmp_path):
    log = json.loads((LOGS / "middle.json").read_text())
    for temperature in (0.0, 1.0):
        log["eval"]["task_id"] = f"task{temperature:g}"
        log["plan"]["config"] = {"temperature": temperature}
        (tmp_path / f"at{temperature:g}.json").write_text(json.dumps(log))
    reading = read_scores([tmp_path])
    links = viewer_links([tmp_path], "http://h", reading.models)
    labels = {link.label.partition(", epoch")[0] for of_item in links.values() for link in of_item}
    assert labels == set(reading.table.models)
    assert labels == {"mockllm/middle (temperature 0.0)", "mockllm/middle (temperature 1.0)"}
