"""Training on a corpus, and extending a tokenizer.

In reading order:
    progress   Progress bars and JSON lines.
    resources  `Resources`: threads, memory, progress, verification.
    training   `train`.
    extending  `extend`: superwords for an existing tokenizer.
"""

from superword.training.extending import extend
from superword.training.resources import Resources
from superword.training.training import train

__all__ = ["Resources", "extend", "train"]
