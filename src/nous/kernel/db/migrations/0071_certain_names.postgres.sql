-- Of what the rules read, only certain names count (docs/decisions/0208); the rows are made again from the log. Pages
-- are put together when somebody asks.
TRUNCATE mentions, observations;
ALTER TABLE projection_checkpoints NO FORCE ROW LEVEL SECURITY; -- their owner deletes it for every tenant
DELETE FROM projection_checkpoints WHERE projector_name = 'mentions';
ALTER TABLE projection_checkpoints FORCE ROW LEVEL SECURITY;
DROP TABLE IF EXISTS dossiers;
