-- Named things and causes of each reading beside its episode; the rows are made again from the log.
ALTER TABLE read_sessions ADD COLUMN things TEXT NOT NULL DEFAULT '[]';
ALTER TABLE read_sessions ADD COLUMN causes TEXT NOT NULL DEFAULT '[]';
DELETE FROM projection_checkpoints WHERE projector_name = 'readings';
