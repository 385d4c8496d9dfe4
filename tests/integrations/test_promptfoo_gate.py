"""What promptfoo is given; `benchmarks/interop_promptfoo.py` runs the real one."""

import re
import shutil
import subprocess

import pytest
from typer.main import get_command

from tellapart.cli.main import command_line
from tellapart.errors import Refused
from tellapart.integrations.promptfoo import FILES, copy_files, main


def test_the_files_are_copied_once_and_a_changed_one_is_kept(tmp_path, capsys):
    folder = tmp_path / "new" / "gate"
    assert main([str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    assert "promptfoo eval -c" in capsys.readouterr().err
    assert copy_files(folder) == ()
    (folder / FILES[0]).unlink()
    (folder / FILES[-1]).write_text("mine")
    with pytest.raises(
        Refused, match=r"tellapart_gate\.yaml: this file is there already and has been changed"
    ):
        copy_files(folder)
    assert not (folder / FILES[0]).exists()
    assert main([str(folder)]) == Refused.exit_code
    assert (folder / FILES[-1]).read_text() == "mine"


def test_the_provider_uses_options_that_compare_has(tmp_path):
    provider = copy_files(tmp_path)[0].read_text()
    used = set(re.findall(r'"(--[\w-]+)"', provider))
    options = {name for one in get_command(command_line()).commands["compare"].params for name in one.opts}
    assert {"--max-drop", "--on-unclear"} <= used <= options


@pytest.mark.process
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_gate_passes_fails_and_reports_errors(tmp_path):
    """As promptfoo calls the provider and the assertion, with a command line that stands in for tellapart."""
    copy_files(tmp_path)
    script = tmp_path / "script.cjs"
    script.write_text(
        """
        const Gate = require("./tellapart_provider.cjs"), holds = require("./tellapart_assertion.cjs");
        const { CODE, COLUMNS } = { CODE: "Number(process.env.CODE)", COLUMNS: "process.env.COLUMNS" };
        const stand = `console.log(${COLUMNS}, ...process.argv.slice(1)); process.exit(${CODE})`;
        const command = [process.execPath, "-e", stand, "--"];
        const gate = new Gate({ id: "gate", config: { command, max_drop: 0.02 } });
        const vars = { baseline: "a.json", candidate: "b.json" };
        (async () => {
          for (const code of [0, 3, 4, 2]) {
            process.env.CODE = String(code);
            const { output, error } = await gate.callApi("", { vars });
            const { pass, score, reason } = output ? holds(output) : {};
            console.log(code, pass, score, reason, error);
          }
          console.log((await gate.callApi("", { vars: { candidate: "b" } })).error);
        })();
        """
    )
    done = subprocess.run(["node", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    line = "10000 compare --max-drop=0.02 -- a.json b.json"
    assert done.stdout.splitlines() == [
        f"0 true 1 {line} undefined",
        f"3 false 0 {line} undefined",
        f"4 false 0 {line} undefined",
        "2 undefined undefined undefined tellapart: ended with code 2",
        "tellapart: the test has no variable baseline",
    ]
