-- name: see: A transcript has new words; in the transaction that keeps them.
-- A transcript has new words.
INSERT INTO exchange_files (transcript_path, session_id, agent_id, project_id, is_waiting)
VALUES (:path, :session_id, :agent_id, :project_id, 1)
ON CONFLICT (transcript_path) DO UPDATE SET is_waiting = MAX(1, exchange_files.is_waiting), session_id = excluded.session_id, project_id = excluded.project_id;

-- name: waiting: How many transcripts have words that are not indexed yet.
SELECT COUNT(*) AS files FROM exchange_files WHERE is_waiting > 0;

-- name: next_waiting: The next transcripts to read.
SELECT file_id, transcript_path, session_id, agent_id, project_id FROM exchange_files
WHERE is_waiting > 0 ORDER BY file_id LIMIT :limit;

-- name: finish: Everything that a transcript said is indexed.
UPDATE exchange_files SET is_waiting = 0 WHERE file_id = :file_id;

-- name: last_of_file
SELECT exchange_id, chunk_id, uuid, tainted FROM exchanges WHERE file_id = :file_id ORDER BY exchange_id DESC LIMIT 1;

-- name: taint_before
SELECT COALESCE(MAX(tainted), 0) AS tainted FROM exchanges WHERE file_id = :file_id AND exchange_id < :exchange_id;

-- name: next_number
-- An exchange has the number of its first part: the next that is free.
SELECT exchange_id + parts AS number FROM exchanges ORDER BY exchange_id DESC LIMIT 1;

-- name: add
INSERT INTO exchanges (exchange_id, parts, file_id, chunk_id, uuid, at, branch, tainted, label, files, topics)
VALUES (:exchange_id, :parts, :file_id, :chunk_id, :uuid, :at, :branch, :tainted, :label, :files, :topics);

-- name: add_text @sqlite
INSERT INTO exchanges_fts (rowid, asked, said, deeds, place) VALUES (:part, :asked, :said, :deeds, :place);

-- name: add_text @postgres
INSERT INTO exchanges_fts (part, length, place)
VALUES (:part, index_exchange(:part, :asked::words, :said::words, :deeds::words), :place);

-- name: add_error
INSERT INTO exchange_errors (mark, exchange_id, ended) VALUES (:mark, :exchange_id, :ended)
ON CONFLICT (mark, exchange_id) DO NOTHING;

-- name: put_vector
INSERT INTO exchange_vectors (exchange_id, model_id, vector) VALUES (:exchange_id, :model_id, :vector)
ON CONFLICT (exchange_id, model_id) DO UPDATE SET vector = excluded.vector;

-- name: without_vector: Exchanges that a model has made no vector of yet, the earliest first.
-- Exchanges that a model has made no vector of yet, in their order: rows that are written behind one another lie packed.
SELECT exchange_id FROM exchanges AS e
WHERE NOT EXISTS (SELECT 1 FROM exchange_vectors AS v WHERE v.exchange_id = e.exchange_id AND v.model_id = :model_id)
ORDER BY exchange_id LIMIT :limit;

-- name: drop_text @sqlite
DELETE FROM exchanges_fts WHERE rowid >= :exchange_id
    AND rowid < (SELECT exchange_id + parts FROM exchanges WHERE exchange_id = :exchange_id);

-- name: drop_text @postgres
DELETE FROM exchanges_fts WHERE part >= :exchange_id
    AND part < (SELECT exchange_id + parts FROM exchanges WHERE exchange_id = :exchange_id);

-- name: drop_vectors
DELETE FROM exchange_vectors WHERE exchange_id = :exchange_id;

-- name: drop_errors
DELETE FROM exchange_errors WHERE exchange_id = :exchange_id;

-- name: drop
DELETE FROM exchanges WHERE exchange_id = :exchange_id;

-- name: drop_file
DELETE FROM exchange_files WHERE file_id = :file_id;

-- name: of_file: The exchanges of a transcript, in their order.
SELECT exchange_id FROM exchanges WHERE file_id = :file_id ORDER BY exchange_id;

-- name: files_of_session
SELECT file_id FROM exchange_files WHERE session_id = :session_id;

-- name: forget_shown
-- What receipts say of exchanges that are taken out.
DELETE FROM injected_exchanges WHERE uuid IN (
    SELECT uuid FROM exchanges WHERE exchange_id IN (SELECT value FROM json_each(:ids)));

-- name: forget_shown_records
DELETE FROM injected_exchanges WHERE uuid IN (SELECT value FROM json_each(:records));

-- name: mark_stale
-- What a transcript said was changed: all of its exchanges have to be made anew.
UPDATE exchange_files SET is_waiting = 2 WHERE transcript_path IN (
    SELECT transcript_path FROM transcript_chunks WHERE chunk_id = :chunk_id);

-- name: mark_all_stale
UPDATE exchange_files SET is_waiting = 2;

-- name: move_project: The exchanges of a project belong to another one from now on.
UPDATE exchange_files SET is_waiting = 2, project_id = :into WHERE project_id = :project_id;

-- name: stale_files
SELECT file_id FROM exchange_files WHERE is_waiting = 2;

-- name: files_without_chunks
-- Transcripts that are no longer kept.
SELECT file_id FROM exchange_files WHERE transcript_path NOT IN (SELECT transcript_path FROM transcript_chunks);

-- name: beyond_chunks
-- Exchanges that begin in a chunk that is no longer kept.
SELECT exchange_id FROM exchanges WHERE chunk_id NOT IN (SELECT chunk_id FROM transcript_chunks);

-- name: wait_for
UPDATE exchange_files SET is_waiting = 1 WHERE file_id = :file_id;

-- name: move
UPDATE exchange_files SET transcript_path = :path WHERE transcript_path = :old_path;

-- name: forget_words @sqlite: Merge the text index, so that nothing is left in it of what was taken out.
INSERT INTO exchanges_fts (exchanges_fts) VALUES ('optimize');

-- name: forget_words @postgres
-- Rows that were deleted are gone from every index when the table was vacuumed, which the server does.
SELECT 1;

-- name: frequencies @sqlite
-- How many parts match each of some queries, in their order.
SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM exchanges_fts WHERE exchanges_fts MATCH asked.value LIMIT :ceiling))
FROM json_each(:queries) AS asked;

-- name: frequencies @postgres
WITH asked AS (
    SELECT nth, word, COUNT(*) OVER (PARTITION BY nth) AS needed FROM (
        SELECT DISTINCT said.nth, stem(word) AS word FROM unnest(:words::phrases) WITH ORDINALITY AS said (phrase, nth),
            unnest(string_to_array(said.phrase, ' ')) AS word) AS stems),
matched AS (
    SELECT asked.nth FROM asked JOIN exchange_words AS w ON w.word = asked.word
    WHERE w.word = ANY (ARRAY(SELECT word FROM asked))
    GROUP BY asked.nth, w.part, asked.needed HAVING COUNT(*) = asked.needed)
SELECT LEAST(COUNT(matched.nth), :ceiling)
FROM unnest(:words::phrases) WITH ORDINALITY AS said (phrase, nth) LEFT JOIN matched ON matched.nth = said.nth
GROUP BY said.nth ORDER BY said.nth;

-- name: search_text @sqlite
-- The parts that match best, each with its exchange: the last that begins at or before it.
SELECT (SELECT MAX(exchange_id) FROM exchanges WHERE exchange_id <= found.part) AS exchange_id, part, score FROM (
    SELECT rowid AS part, bm25(exchanges_fts, 1.0, 0.8, 0.6, 0.0) AS score FROM exchanges_fts
    WHERE exchanges_fts MATCH :query ORDER BY score LIMIT :limit) AS found;

-- name: search_text @postgres
WITH asked AS (
    SELECT nth, word, COUNT(*) OVER (PARTITION BY nth) AS needed FROM (
        SELECT DISTINCT said.nth, stem(word) AS word FROM unnest(:words::phrases) WITH ORDINALITY AS said (phrase, nth),
            unnest(string_to_array(said.phrase, ' ')) AS word) AS stems),
matched AS (
    SELECT asked.nth, w.part, MIN(w.times) AS times FROM asked JOIN exchange_words AS w ON w.word = asked.word
    WHERE w.word = ANY (ARRAY(SELECT word FROM asked))
    GROUP BY asked.nth, w.part, asked.needed HAVING COUNT(*) = asked.needed),
every AS MATERIALIZED (SELECT COUNT(*) AS texts, AVG(length)::double precision AS mean FROM exchanges_fts),
common AS MATERIALIZED (
    SELECT nth, GREATEST(LN(GREATEST(texts - said + 0.5, 0.5)::double precision / (said + 0.5)), 0.000001) AS rarity
    FROM (SELECT nth, COUNT(*) AS said FROM matched GROUP BY nth) AS counted CROSS JOIN every)
SELECT (SELECT MAX(exchange_id) FROM exchanges WHERE exchange_id <= matched.part) AS exchange_id, matched.part, -SUM(
    common.rarity * times * 2.2
    / (times + 1.2 * (0.25 + 0.75 * t.length::double precision / GREATEST(every.mean, 1)))) AS score
FROM matched JOIN common USING (nth) CROSS JOIN every JOIN exchanges_fts AS t ON t.part = matched.part
WHERE :place IS NULL OR t.place IN (:place, 'peverywhere')
GROUP BY matched.part HAVING :together = 0 OR COUNT(*) = (SELECT COUNT(DISTINCT nth) FROM asked)
ORDER BY score, matched.part LIMIT :limit;

-- name: saying @sqlite
-- The exchanges of a project's sessions that say each of some words: number of the word, exchange, transcript.
SELECT DISTINCT asked.key AS nth, e.exchange_id, e.file_id
FROM json_each(:queries) AS asked
JOIN exchanges_fts AS t ON t.exchanges_fts MATCH asked.value
JOIN exchanges AS e ON e.exchange_id = (SELECT MAX(exchange_id) FROM exchanges WHERE exchange_id <= t.rowid)
JOIN exchange_files AS f ON f.file_id = e.file_id AND f.project_id = :project_id AND f.agent_id = '';

-- name: saying @postgres
WITH asked AS (
    SELECT nth, word, COUNT(*) OVER (PARTITION BY nth) AS needed FROM (
        SELECT DISTINCT said.nth, stem(word) AS word FROM unnest(:words::phrases) WITH ORDINALITY AS said (phrase, nth),
            unnest(string_to_array(said.phrase, ' ')) AS word) AS stems),
matched AS (
    SELECT asked.nth, w.part FROM asked JOIN exchange_words AS w ON w.word = asked.word
    WHERE w.word = ANY (ARRAY(SELECT word FROM asked))
    GROUP BY asked.nth, w.part, asked.needed HAVING COUNT(*) = asked.needed)
SELECT DISTINCT matched.nth - 1 AS nth, e.exchange_id, e.file_id FROM matched
JOIN exchanges AS e ON e.exchange_id = (SELECT MAX(exchange_id) FROM exchanges WHERE exchange_id <= matched.part)
JOIN exchange_files AS f ON f.file_id = e.file_id AND f.project_id = :project_id AND f.agent_id = '';

-- name: sessions_of_project: How many sessions a project has, without those of subagents.
SELECT COUNT(*) AS sessions FROM exchange_files WHERE project_id = :project_id AND agent_id = '';

-- name: begun_after: How many sessions of a project began after a moment, without those of subagents.
SELECT COUNT(*) AS sessions FROM (
    SELECT e.file_id FROM exchanges AS e JOIN exchange_files AS f ON f.file_id = e.file_id
    WHERE f.project_id = :project_id AND f.agent_id = '' GROUP BY e.file_id HAVING MIN(e.at) > :at
) AS later;

-- name: latest_files: The files of a project's latest exchanges that touched any.
SELECT e.files FROM exchanges AS e JOIN exchange_files AS f ON f.file_id = e.file_id
WHERE f.project_id = :project_id AND e.files <> '[]' ORDER BY e.at DESC, e.exchange_id DESC LIMIT :limit;

-- name: by_id
SELECT e.exchange_id, e.file_id, e.chunk_id, e.uuid, e.at, e.branch, e.tainted, e.label, e.files, e.topics,
    f.transcript_path, f.session_id, f.agent_id, f.project_id
FROM exchanges AS e JOIN exchange_files AS f ON f.file_id = e.file_id
WHERE e.exchange_id IN (SELECT value FROM json_each(:ids));

-- name: before
SELECT e.exchange_id, b.exchange_id AS earlier, b.label FROM exchanges AS e JOIN exchanges AS b ON b.exchange_id = (
    SELECT MAX(exchange_id) FROM exchanges AS p WHERE p.file_id = e.file_id AND p.exchange_id < e.exchange_id)
WHERE e.exchange_id IN (SELECT value FROM json_each(:ids));

-- name: by_uuid
SELECT exchange_id, uuid FROM exchanges WHERE uuid >= :start AND uuid < :end ORDER BY uuid LIMIT 3;

-- name: by_error: Where errors came up before: exchange, fingerprint, what ended it; those that ended first.
-- The exchanges in which one of some errors came up, those in which it ended first, then the latest.
SELECT r.exchange_id, r.mark, r.ended FROM exchange_errors AS r
JOIN exchanges AS e ON e.exchange_id = r.exchange_id JOIN exchange_files AS f ON f.file_id = e.file_id
WHERE r.mark IN (SELECT value FROM json_each(:marks)) AND (:project_id IS NULL OR f.project_id = :project_id)
ORDER BY r.ended = '', e.at DESC, e.exchange_id DESC LIMIT :limit;

-- name: vectors_of: The vectors of some exchanges.
SELECT exchange_id, vector FROM exchange_vectors
WHERE model_id = :model_id AND exchange_id IN (SELECT value FROM json_each(:exchange_ids));

-- name: size: How many exchanges are indexed.
SELECT COUNT(*) AS exchanges FROM exchanges;

-- name: last_part: About how many parts are indexed, without counting.
SELECT COALESCE(MAX(exchange_id), 0) AS number FROM exchanges;

-- name: chunks_from
SELECT chunk_id, data FROM transcript_chunks WHERE transcript_path = :path AND chunk_id >= :chunk_id ORDER BY chunk_id;

-- name: bytes @sqlite: What the indexes take on disk.
-- What the index takes on disk; the tables of a full-text index carry its name.
SELECT SUM(pgsize) AS bytes FROM dbstat
WHERE name IN ('exchanges', 'exchange_files', 'exchange_vectors', 'exchange_errors') OR name LIKE 'exchanges_fts%'
    OR name LIKE 'idx_exchange%';

-- name: bytes @postgres
SELECT SUM(pg_total_relation_size(name::regclass))::bigint AS bytes
FROM unnest(ARRAY['exchanges', 'exchange_files', 'exchange_vectors', 'exchange_errors', 'exchanges_fts', 'exchange_words']) AS name;

-- name: tainted_in: The exchanges of a session in which the agent had read text from outside, by the record each begins with.
SELECT e.uuid FROM exchanges AS e JOIN exchange_files AS f USING (file_id)
WHERE f.session_id = :session_id AND e.tainted = 1;
