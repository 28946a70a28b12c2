"""Install each wheel or source distribution in a new environment, and compare its golden ids.

python scripts/check_wheel.py dist/*
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

GOLDEN_IDS = Path(__file__).with_name("golden_ids.py")


def check(distribution: Path) -> None:
    """Install a distribution with its requirements alone, and run it.

    Raises:
        subprocess.CalledProcessError: If it cannot be installed, or learns or encodes otherwise.
    """
    print(f"{distribution.name}: {distribution.stat().st_size / 1e6:.2f} MB", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        # Isolated: no setting of the user, and not the package in the checkout.
        isolated = [str(python), "-I"]
        subprocess.run([*isolated, "-m", "pip", "install", "--quiet", distribution], check=True)
        subprocess.run([*isolated, GOLDEN_IDS], check=True)


def main() -> None:
    """Check the distributions that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("distributions", nargs="+", type=Path)
    for distribution in parser.parse_args().distributions:
        check(distribution)


if __name__ == "__main__":
    main()
