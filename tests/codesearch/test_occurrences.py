from codesearch.pipeline_files import make_code
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.tracing import terms_in_files


def test_paths_and_contents_are_looked_through_and_what_may_not_be_read_has_its_path_alone(tmp_path):
    make_code(
        tmp_path / "code",
        {
            "aero/lib/a.py": "pins = 1\n",
            "aero/.env": "pins=1\n",
            "aero/latin.py": b"pins = '\xe9'".decode("latin-1"),
            "aero/big_pins.py": "feed " * 300_000,
        },
    )
    (tmp_path / "outside.py").write_text("pins")
    (tmp_path / "code/aero/link.py").symlink_to(tmp_path / "outside.py")
    repositories = Repositories.open(tmp_path / "code", ["aero"])
    files = [
        "aero/lib/a.py",
        "aero/.env",
        "aero/latin.py",
        "aero/big_pins.py",
        "aero/link.py",
        "aero/gone_pins.py",
    ]
    assert terms_in_files(repositories, [*files, "aero/lib"], ["pins", "feed", "lib"]) == {
        "aero/lib/a.py": ("pins", "lib"),
        "aero/.env": (),
        "aero/latin.py": ("pins",),
        "aero/big_pins.py": ("pins",),
        "aero/link.py": (),
        "aero/gone_pins.py": ("pins",),
        "aero/lib": ("lib",),
    }
    assert terms_in_files(repositories, files, []) == {}
