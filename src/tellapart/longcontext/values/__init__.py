"""What texts state: values that can be compared, names as a guard, and the entries that they refer to."""

from tellapart.longcontext.values.value import Agreement, Value, agreement, facts_of, states, values_in

__all__ = ["Agreement", "Value", "agreement", "facts_of", "states", "values_in"]
