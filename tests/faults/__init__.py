"""Every writer of files, killed or failing at each call."""

import pytest

# Its assertions say what they compare.
pytest.register_assert_rewrite("trials")
