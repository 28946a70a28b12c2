"""The commands of `superword`, a module each."""
