"""What a package index, a citation and an installer are told."""

import re
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
READERS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
EXTRA = re.compile(r"tellapart\[([\w,-]+)\]")
# Each tool for its own purpose, not for users.
WORKSHOP = {"dev", "bench", "release"}


def requirements(project, extra):
    """What an extra requires, with what the extras that it names require."""
    for line in project["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name == "tellapart":
            for inner in requirement.extras:
                yield from requirements(project, inner)
        else:
            yield requirement


def test_everything_is_in_all(project):
    of_users = {str(one) for extra in project["optional-dependencies"].keys() - WORKSHOP
                for one in requirements(project, extra)}  # fmt: skip
    assert of_users == {str(one) for one in requirements(project, "all")}


def test_ranges_stand_in_the_project_and_exact_versions_in_the_constraints(project):
    pinned = {
        canonicalize_name(requirement.name): requirement.specifier
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
        for requirement in [Requirement(line)]
    }
    for extra in ("dev", "bench", "release"):
        required = [*map(Requirement, project["dependencies"]), *requirements(project, extra)]
        lost = [str(one) for one in required if canonicalize_name(one.name) not in pinned]
        assert lost == []
    ranges = [*map(Requirement, project["dependencies"]), *requirements(project, "all")]
    assert [str(one) for one in ranges if "==" in str(one.specifier) or not one.specifier] == []
    assert [name for name, specifier in pinned.items() if [s.operator for s in specifier] != ["=="]] == []


@pytest.mark.parametrize("page", READERS, ids=lambda page: page.name)
def test_extras_that_are_named_exist(page, project):
    named = {extra for group in EXTRA.findall(page.read_text(encoding="utf-8")) for extra in group.split(",")}
    assert named <= set(project["optional-dependencies"])


def test_the_readme_of_an_index_has_no_link_that_leads_nowhere_there(metadata):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    hook = metadata["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for substitution in hook["substitutions"]:
        text = re.sub(substitution["pattern"], substitution["replacement"], text)
    outside_code = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)]*)\)", outside_code)
    assert [target for target in targets if not target.startswith("https://")] == []
    assert targets


def test_the_citation_is_of_this_version(project):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {key: citation[key] for key in ("cff-version", "type", "version", "license")} == {
        "cff-version": "1.2.0",
        "type": "software",
        "version": project["version"],
        "license": project["license"],
    }
    assert citation["authors"] == project["authors"]
    assert {"message", "title"} <= citation.keys()


def test_what_contributors_are_told_to_type_are_targets_of_the_makefile():
    told = set(re.findall(r"`make ([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"test", "lint", "lowest", "resolve", "dist-check"} <= told <= targets
