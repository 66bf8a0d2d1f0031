"""Where values come from: the kinds of evidence that a source begins with."""

from __future__ import annotations

import re

TAGS = ("PRINT", "CHART", "DIGEST", "AID", "SISTER", "HOUSE", "HISTORY", "DEDUCED", "RECOMMENDED")
"""What a source may begin with, in square brackets."""
SOURCE = re.compile(rf"\[({'|'.join(TAGS)})\]")
"""The beginning of a source."""
