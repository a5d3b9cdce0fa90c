"""For other programs: artefacts, imports, backfill, replay, archive."""
