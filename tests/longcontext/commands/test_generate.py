def test_conversations_of_another_design_in_the_same_directory_are_counted(tellapart, tmp_path):
    made = ("longcontext", "generate", "--out", tmp_path / "exp", "--conversations", "2", "--lengths")
    assert "other conversations" not in tellapart(*made, "1K").err
    assert (
        f"{tmp_path / 'exp'} holds 2 other conversations, which 'run' plays too" in tellapart(*made, "2K").err
    )
