"""Train the sample tokenizers of the playground on the bundled novels.

python scripts/playground_samples.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import superword

SITE = Path(__file__).parent.parent / "python" / "superword" / "playground" / "site"
VOCAB_SIZE = 4096
SAMPLES: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    # Superwords are what the page is to show, so their number has no limit.
    "BoundlessBPE": {"max_superwords": None},
}


def main() -> None:
    """Write the samples, and the list of them that the page reads."""
    folder = SITE / "samples"
    folder.mkdir(exist_ok=True)
    models = []
    for kind, options in SAMPLES.items():
        tok = superword.train(superword.sample(), VOCAB_SIZE, **options)
        path = folder / f"{kind.lower()}.json"
        tok.save(path)
        name = f"{kind} on novels"
        models.append({"name": name, "url": path.relative_to(SITE).as_posix()})
        print(f"{path}: {tok}, {path.stat().st_size:,} bytes")
    listing = {"open": [model["name"] for model in models], "models": models}
    (SITE / "models.json").write_text(json.dumps(listing, indent=2) + "\n")


if __name__ == "__main__":
    main()
