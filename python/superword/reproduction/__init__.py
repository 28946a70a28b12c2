"""Reproduce the experiments of the BoundlessBPE paper: docs/evaluation.md.

Files in reading order:

- `paper`: the values that the paper reports.
- `settings`: what to run, from a TOML file and the command line.
- `lineup`: the tokenizers to train; `baselines` trains those of Hugging Face.
- `steps`: files that a second run reuses.
- `experiment`: train and measure the lineup; `results` holds what was measured.
- `claims`, `tables`, `figures`: the paper's claims, tables and figures, from those results.
- `report`, `outputs`: the HTML report, and all files that are written.
"""

from superword.reproduction.claims import CheckedClaim, Outcome
from superword.reproduction.experiment import reproduce
from superword.reproduction.outputs import write_outputs
from superword.reproduction.results import Results
from superword.reproduction.settings import ReproductionSettings, read_settings

__all__ = [
    "CheckedClaim",
    "Outcome",
    "Results",
    "ReproductionSettings",
    "read_settings",
    "reproduce",
    "write_outputs",
]
