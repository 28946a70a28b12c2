"""Training on a corpus, and extending a tokenizer.

In reading order:
    resources  `Resources`: threads, memory, progress, verification.
    progress   Progress bars and JSON lines.
    training   `train`.
    extending  `extend`: superwords for an existing tokenizer.
"""

from superword.training.extending import extend
from superword.training.training import train

__all__ = ["extend", "train"]
