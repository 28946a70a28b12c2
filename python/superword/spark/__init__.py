"""Training and encoding on Spark; the extra `superword[spark]`, on all machines of the cluster.

The words used here are explained in docs/scale.md.
"""

from superword.spark.encoding import encode
from superword.spark.training import Passed, train

__all__ = ["Passed", "encode", "train"]
