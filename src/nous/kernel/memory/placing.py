"""Tags of memories that older versions wrote into files of their project, or proposed to: no session is told them."""

from __future__ import annotations

PLACED = "placed"  # it stands in an instruction file: sessions read it there
PROPOSED = "proposed"  # it was proposed as a skill
