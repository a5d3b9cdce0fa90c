-- name: see @sqlite
INSERT INTO seen_records (uuid) SELECT value FROM json_each(:uuids) WHERE true ON CONFLICT DO NOTHING RETURNING uuid;

-- name: see @postgres
INSERT INTO seen_records (uuid) SELECT DISTINCT unnest(:uuids::text[]) ON CONFLICT DO NOTHING RETURNING uuid;

-- name: quarantine: Note a terminated line that does not parse; its text is not kept.
INSERT INTO quarantined_lines (transcript_path, file_inode, file_offset, length, reason, created_at)
VALUES (:path, :inode, :offset, :length, :reason, :now) ON CONFLICT DO NOTHING;

-- name: list_quarantined: Lines that were put aside.
SELECT transcript_path, file_offset, length, reason, created_at FROM quarantined_lines
ORDER BY created_at DESC, transcript_path, file_offset LIMIT :limit;

-- name: quarantine_count: How many lines were put aside.
SELECT COUNT(*) AS lines FROM quarantined_lines;
