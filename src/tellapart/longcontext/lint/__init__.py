"""What makes an experiment mean nothing, found before and after money is spent."""
