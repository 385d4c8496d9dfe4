from tellapart.codesearch.index.naming import directories_of, name_of_file


def test_parts_of_a_path():
    assert name_of_file("r/app/pins_service.rb") == "pins_service"
    assert name_of_file("r/app/pins.service.ts") == "pins.service"
    assert name_of_file("r/.gitignore") == ".gitignore"
    assert name_of_file("r/Makefile") == "Makefile"
    assert list(directories_of("r/app/pins.rb")) == ["r", "app"]
