"""The command `superword`, as `python -m superword`."""

from superword.cli import app

if __name__ == "__main__":
    app(prog_name="superword")
