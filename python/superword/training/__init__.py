"""Training on a corpus, and extending a tokenizer.

In reading order:
    progress   Progress bars and JSON lines.
    resources  `Resources`: threads, memory, progress, verification.
    training   `train`.
    extending  `extend`: superwords for an existing tokenizer.
"""

from superword.training.extending import extend
from superword.training.progress import ProgressCallback, show_progress
from superword.training.resources import ResourceKeywords, Resources
from superword.training.training import train

__all__ = ["ProgressCallback", "ResourceKeywords", "Resources", "extend", "show_progress", "train"]
