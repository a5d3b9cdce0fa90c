-- name: put: Keep what was decided about a line.
INSERT INTO brief_lines (learning_id, project_id, text, sources, beside, words, state, place, at, version)
VALUES (:learning_id, :project_id, :text, :sources, :beside, :words, :state, :place, :at, :version)
ON CONFLICT (learning_id) DO UPDATE SET project_id = excluded.project_id, text = excluded.text, sources = excluded.sources, beside = excluded.beside,
    words = excluded.words, state = excluded.state, place = excluded.place, at = excluded.at, version = excluded.version;

-- name: drop: What was decided about a line was taken back or erased.
DELETE FROM brief_lines WHERE learning_id = :learning_id;

-- name: clear
DELETE FROM brief_lines;

-- name: of_project: Everything decided about lines of a project's brief, the oldest first.
SELECT * FROM brief_lines WHERE project_id = :project_id ORDER BY at, version;
