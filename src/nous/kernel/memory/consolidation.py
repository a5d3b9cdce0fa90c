"""What earlier versions made of several memories; nothing is joined any more, and what was stays readable."""

from __future__ import annotations

EXTRACTOR = "consolidate-1"  # of a memory in which others end; one undo of its event brings them back
