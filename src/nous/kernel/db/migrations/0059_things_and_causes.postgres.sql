-- Named things and causes of each reading beside its episode; the rows are made again from the log.
ALTER TABLE read_sessions ADD COLUMN things text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE read_sessions ADD COLUMN causes text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE projection_checkpoints NO FORCE ROW LEVEL SECURITY; -- their owner deletes it for every tenant
DELETE FROM projection_checkpoints WHERE projector_name = 'readings';
ALTER TABLE projection_checkpoints FORCE ROW LEVEL SECURITY;
