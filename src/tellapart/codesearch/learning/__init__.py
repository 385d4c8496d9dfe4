"""What an evaluation teaches: what led to noise, what was missed, what might be changed."""
