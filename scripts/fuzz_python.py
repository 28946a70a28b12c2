"""Run a fuzz target of the Python face with Atheris, which takes libFuzzer's options.

Example:
    python scripts/fuzz_python.py token_files fuzz/corpus/token_files -max_total_time=600
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

with atheris.instrument_imports(include=["superword"]):
    from fuzzing.targets import TARGETS


def main() -> None:
    """Fuzz until libFuzzer ends."""
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
