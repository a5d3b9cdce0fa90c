-- name: add
INSERT INTO rejections (project_id, session_id, extractor, reason, excerpt, created_at)
VALUES (:project_id, :session_id, :extractor, :reason, :excerpt, :created_at)
ON CONFLICT (session_id, extractor, reason, excerpt) DO NOTHING;

-- name: trim
DELETE FROM rejections WHERE rejection_id <= (SELECT MAX(rejection_id) FROM rejections) - :keep;

-- name: recent: The latest refusals.
SELECT rejection_id AS id, project_id, session_id, extractor, reason, excerpt, created_at FROM rejections
WHERE :project_id IS NULL OR project_id = :project_id ORDER BY rejection_id DESC LIMIT :limit;

-- name: reasons: How often each reason was given, the most frequent first.
SELECT reason, COUNT(*) AS times FROM rejections
WHERE :project_id IS NULL OR project_id = :project_id GROUP BY reason ORDER BY times DESC, reason;

-- name: mentioning
SELECT COUNT(*) AS found FROM rejections WHERE excerpt LIKE :pattern ESCAPE '\' OR reason LIKE :pattern ESCAPE '\';

-- name: forget_session
DELETE FROM rejections WHERE session_id = :session_id;

-- name: forget_words
DELETE FROM rejections WHERE excerpt LIKE :pattern ESCAPE '\' OR reason LIKE :pattern ESCAPE '\';
