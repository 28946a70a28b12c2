"""Counting a corpus in shards, and training on the counts: docs/scale.md.

In reading order:
    key_counts  Keys with counts: Arrow batches, sorted Parquet files, and their sums.
    cuts        `Cut`: where documents are cut into fragments.
    folders     The folder that holds the counts of all shards.
    counting    `count` and `merge_counts`.
    learner     Learning from summed counts: merges first, then supermerges.
    training    `train_on_counts`.
    extending   `extend_on_counts`.
"""

from superword.counts.counting import Counted, count, merge_counts
from superword.counts.extending import extend_on_counts
from superword.counts.folders import list_count_files
from superword.counts.training import train_on_counts

__all__ = [
    "Counted",
    "count",
    "extend_on_counts",
    "list_count_files",
    "merge_counts",
    "train_on_counts",
]
