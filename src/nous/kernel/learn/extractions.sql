-- name: became: The event that a learning of a session became; None when it is not in the log.
SELECT latest_event_id FROM processed_extractions
WHERE project_id = :project_id AND session_id = :session_id AND learning_index = :index;

-- name: mark: Remember which event a learning of a session became.
INSERT INTO processed_extractions (
    project_id, session_id, learning_index, latest_event_id, latest_extractor_version, updated_at)
VALUES (:project_id, :session_id, :index, :event_id, :version, :now)
ON CONFLICT (project_id, session_id, learning_index) DO UPDATE SET
    latest_event_id = excluded.latest_event_id, latest_extractor_version = excluded.latest_extractor_version,
    updated_at = excluded.updated_at;
