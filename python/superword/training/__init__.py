"""Training on a corpus, and extending a tokenizer.

In reading order:
    progress   Progress bars and JSON lines.
    resources  `Resources`: threads, memory, progress, verification.
    training   `train`.
    extending  `extend`: further tokens for an existing tokenizer.
    id_map     `map_ids`: the old ids that spell each new one.
    changes    `measure_changes`: the text that is encoded otherwise.
"""

from superword.training.changes import Changes, measure_changes
from superword.training.extending import ExtensionKind, extend
from superword.training.id_map import IdMap, map_ids
from superword.training.progress import ProgressCallback, show_progress
from superword.training.resources import ResourceKeywords, Resources
from superword.training.training import train

__all__ = [
    "Changes",
    "ExtensionKind",
    "IdMap",
    "ProgressCallback",
    "ResourceKeywords",
    "Resources",
    "extend",
    "map_ids",
    "measure_changes",
    "show_progress",
    "train",
]
