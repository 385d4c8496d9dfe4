"""The files of the approved repositories as they are now, and what is kept of them between runs."""
