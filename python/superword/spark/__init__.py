"""Training and encoding on Spark; needs `superword[spark]` on every machine: docs/scale.md.

In reading order:
    session   Opening a session, reading files, choosing the column of text.
    weighting How often documents count, on an executor.
    counting  The work of executors: counting the documents of a partition.
    training  `train`: executors count, Spark sums, the driver learns.
    encoding  `encode`: a column of ids beside a column of text.
"""

from superword.spark.encoding import encode
from superword.spark.training import Passed, train

__all__ = ["Passed", "encode", "train"]
