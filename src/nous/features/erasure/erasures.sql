-- name: begin
INSERT INTO erasures (last_event_id, started_at) VALUES (:last_event_id, :now) RETURNING erasure_id;

-- name: list_unfinished: Erasures whose traces may still be there.
SELECT erasure_id, last_event_id, started_at FROM erasures WHERE finished_at IS NULL ORDER BY erasure_id;

-- name: finish: Every trace is gone.
UPDATE erasures SET finished_at = :now WHERE finished_at IS NULL;

-- name: of_session: Queue items of a session that hold text.
SELECT ingest_id FROM ingest_events WHERE session_id = :session_id AND payload_json != '[]' ORDER BY ingest_id;

-- name: of_project: Queue items of a project that hold text.
SELECT ingest_id FROM ingest_events WHERE project_id = :project_id AND payload_json != '[]' ORDER BY ingest_id;

-- name: texts: Every queue item that holds text, with its payload.
SELECT ingest_id, payload_json FROM ingest_events WHERE payload_json != '[]' ORDER BY ingest_id;

-- name: rewrite
UPDATE ingest_events SET payload_json = :payload, last_error = NULL WHERE ingest_id = :ingest_id;

-- name: drop_quarantine: Forget lines that were put aside in the files of these queue items; how many.
DELETE FROM quarantined_lines WHERE transcript_path IN (
    SELECT transcript_path FROM ingest_events WHERE ingest_id IN (SELECT value FROM json_each(:items)));
