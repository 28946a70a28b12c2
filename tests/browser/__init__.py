"""The playground in a real browser."""
