-- Every name that a reading gives counts (docs/decisions/0220); the rows are made again from the log.
DELETE FROM mentions;
DELETE FROM observations;
DELETE FROM projection_checkpoints WHERE projector_name = 'mentions';
