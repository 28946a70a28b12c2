"""What `scripts/check_wheel.py` compares in every wheel is up to date."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_golden_ids_are_those_of_this_package() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "golden_ids.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    golden = json.loads((ROOT / "tests" / "data" / "wheel" / "ids.json").read_text("utf-8"))
    assert f"{len(golden)} kinds agree" in done.stdout
