-- Of what the rules read, only certain names count (docs/decisions/0208); the rows are made again from the log. Pages
-- are put together when somebody asks.
DELETE FROM mentions;
DELETE FROM observations;
DELETE FROM projection_checkpoints WHERE projector_name = 'mentions';
DROP TABLE IF EXISTS dossiers;
