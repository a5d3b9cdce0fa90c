-- name: begin
INSERT INTO llm_calls (purpose, version, provider, model, status, input_tokens, output_tokens, usd, started_at)
VALUES (:purpose, :version, :provider, :model, 'sent', :input_tokens, :output_tokens, :usd, :now) RETURNING call_id;

-- name: add_unit
INSERT INTO llm_units (unit, call_id) VALUES (:unit, :call_id) ON CONFLICT DO NOTHING;

-- name: finish
UPDATE llm_calls SET
    status = :status, model = :model, input_tokens = :input_tokens, output_tokens = :output_tokens, usd = :usd,
    learned = :learned, rejected = :rejected, finished_at = :now, error = :error
WHERE call_id = :call_id;

-- name: spent
SELECT COUNT(*) AS calls, COALESCE(SUM(input_tokens), 0) AS input_tokens,
    COALESCE(SUM(output_tokens), 0) AS output_tokens, COALESCE(SUM(usd), 0.0) AS usd
FROM llm_calls WHERE started_at >= :since AND status != 'skipped';

-- name: by_model
SELECT provider, model, version, COUNT(*) AS calls, SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens,
    SUM(usd) AS usd, SUM(learned) AS learned, SUM(rejected) AS rejected,
    SUM(CASE WHEN status IN ('answered', 'partial') THEN 0 ELSE 1 END) AS failed
FROM llm_calls WHERE started_at >= :since AND status != 'skipped'
GROUP BY provider, model, version ORDER BY usd DESC, calls DESC, provider, model, version;

-- name: by_day
SELECT SUBSTR(started_at, 1, 10) AS day, COUNT(*) AS calls, SUM(input_tokens) AS input_tokens,
    SUM(output_tokens) AS output_tokens, SUM(usd) AS usd
FROM llm_calls WHERE started_at >= :since AND status != 'skipped' GROUP BY day ORDER BY day DESC;

-- name: recent
SELECT call_id, purpose, version, provider, model, status, input_tokens, output_tokens, usd, learned, rejected,
    started_at, finished_at, error
FROM llm_calls WHERE status != 'skipped' ORDER BY call_id DESC LIMIT :limit;

-- name: waiting @sqlite
-- Finished units no model has answered for, whatever the prompt's version: an upgrade alone sends nothing again.
SELECT item.ingest_id, item.transcript_path, item.idempotency_key AS unit, item.updated_at, LENGTH(item.payload_json) AS size
FROM ingest_events AS item
WHERE item.status = 'completed' AND item.payload_json != '[]' AND item.updated_at >= :since
    AND NOT EXISTS (
        SELECT 1 FROM llm_units AS sent JOIN llm_calls AS made USING (call_id)
        WHERE sent.unit = item.idempotency_key AND made.purpose = :purpose
            AND made.status IN ('answered', 'partial', 'refused', 'skipped'))
    AND (SELECT COUNT(*) FROM llm_units AS tried JOIN llm_calls AS made USING (call_id)
        WHERE tried.unit = item.idempotency_key AND made.purpose = :purpose
            AND made.status NOT IN ('limited', 'unreachable')) < :attempts
    AND NOT EXISTS (
        SELECT 1 FROM llm_units AS busy JOIN llm_calls AS made USING (call_id)
        WHERE busy.unit = item.idempotency_key AND made.status = 'sent' AND made.started_at >= :busy_since)
ORDER BY item.ingest_id;

-- name: items @sqlite
SELECT * FROM ingest_events WHERE ingest_id IN (SELECT value FROM json_each(:ids)) ORDER BY ingest_id;

-- name: units
SELECT * FROM ingest_events
WHERE status = 'completed' AND payload_json != '[]' AND (:since IS NULL OR updated_at >= :since)
    AND (:project_id IS NULL OR project_id = :project_id)
ORDER BY ingest_id;

-- name: get_state
SELECT value, updated_at FROM llm_state WHERE name = :name;

-- name: set_state
INSERT INTO llm_state (name, value, updated_at) VALUES (:name, :value, :now)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: drop_state
DELETE FROM llm_state WHERE name = :name;
