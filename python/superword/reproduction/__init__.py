"""Reproduce the experiments of the BoundlessBPE paper: docs/evaluation.md.

Files in reading order:

- `paper`: the values that the paper reports.
- `settings`: what to run, from a TOML file and the command line.
- `lineup`: the tokenizers to train; `baselines` trains those of Hugging Face.
- `own_metrics`: metrics of the user's own.
- `steps`: files that a second run reuses.
- `experiment`: train and measure the lineup; `results` holds what was measured.
- `verdicts`, `claim_tests`, `claims`: the paper's claims, and the tests that decide them.
- `tables`, `figures`, `citations`: tables, figures and BibTeX entries, from those results.
- `report`, `report_claims`, `outputs`: the HTML report, and all files that are written.
"""

from superword.reproduction.experiment import reproduce
from superword.reproduction.outputs import CheckedClaims, write_outputs
from superword.reproduction.results import Results
from superword.reproduction.settings import ReproductionSettings, read_settings
from superword.reproduction.verdicts import CheckedClaim, Outcome

__all__ = [
    "CheckedClaim",
    "CheckedClaims",
    "Outcome",
    "Results",
    "ReproductionSettings",
    "read_settings",
    "reproduce",
    "write_outputs",
]
