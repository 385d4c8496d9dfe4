"""Calibration: which explorers are needed, counted over iterations that a state file remembers."""

from tellapart.codesearch.calibration.calibrate import Calibration, calibrate, explorers_for
from tellapart.codesearch.calibration.counted import Rule
from tellapart.codesearch.calibration.state import (
    IterationRecord,
    State,
    input_fingerprint,
    iteration_number,
    iteration_record,
    read_state,
    record_iteration,
)

__all__ = [
    "Calibration",
    "IterationRecord",
    "Rule",
    "State",
    "calibrate",
    "explorers_for",
    "input_fingerprint",
    "iteration_number",
    "iteration_record",
    "read_state",
    "record_iteration",
]
