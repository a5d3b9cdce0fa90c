-- name: upsert
INSERT INTO memories (
    id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest)
VALUES (
    :id, :learning_id, :project_id, :scope, :type, :status, :content, :strength, :confidence, :valid_from, :valid_until,
    :created_at, :session_id, :branch, :slot, :ref, :pinned, :tainted, :version, :rest)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status, content = excluded.content, strength = excluded.strength, scope = excluded.scope,
    confidence = excluded.confidence, valid_from = excluded.valid_from, valid_until = excluded.valid_until,
    type = excluded.type, branch = excluded.branch, slot = excluded.slot, ref = excluded.ref, pinned = excluded.pinned,
    tainted = excluded.tainted, version = excluded.version, rest = excluded.rest, created_at = excluded.created_at,
    session_id = excluded.session_id, project_id = excluded.project_id;

-- name: remove: Take out current rows of memories whose introduction was undone; their past versions stay.
DELETE FROM memories WHERE id = :id;

-- name: keep_history
INSERT INTO memory_history (
    id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest, until_version)
VALUES (
    :id, :learning_id, :project_id, :scope, :type, :status, :content, :strength, :confidence, :valid_from, :valid_until,
    :created_at, :session_id, :branch, :slot, :ref, :pinned, :tainted, :version, :rest, :until_version);

-- name: forget_history
DELETE FROM memory_history WHERE id = :id;

-- name: by_learning
SELECT * FROM memories WHERE learning_id IN (SELECT value FROM json_each(:ids));

-- name: by_id
SELECT * FROM memories WHERE id IN (SELECT value FROM json_each(:ids));

-- name: by_id_as_of
-- What these memories were after a certain event. The versions of a memory follow each other without a gap, so the one
-- asked for is the last that had begun: one look-up, however many there are.
SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
FROM memories WHERE id IN (SELECT value FROM json_each(:ids)) AND version <= :event_id
UNION ALL
SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
FROM memory_history AS then_
WHERE id IN (SELECT value FROM json_each(:ids)) AND until_version > :event_id
    AND version = (SELECT MAX(version) FROM memory_history WHERE id = then_.id AND version <= :event_id);

-- name: by_ref
SELECT * FROM memories WHERE ref = :ref AND project_id = :project_id AND status = 'active' ORDER BY id DESC;

-- name: ended_by_ref
SELECT * FROM memories WHERE ref = :ref AND project_id = :project_id AND status = 'superseded' ORDER BY id DESC;

-- name: by_refs
SELECT * FROM memories WHERE ref IN (SELECT value FROM json_each(:refs)) AND project_id = :project_id
    AND status = 'active' ORDER BY id;

-- name: with_ref_prefix
SELECT * FROM memories WHERE ref LIKE :beginning AND status = 'active' ORDER BY id;

-- name: in_slot
SELECT * FROM memories WHERE slot = :slot AND status = 'active' AND (project_id = :project_id OR scope = 'global');

-- name: visible
-- Active memories that a project may see: its own, its teams', and global ones.
SELECT * FROM memories WHERE status = 'active'
    AND (project_id = :project_id OR project_id IN (SELECT value FROM json_each(:circles)))
UNION
SELECT * FROM memories WHERE status = 'active' AND scope = 'global'
ORDER BY id DESC LIMIT :limit;

-- name: undone: What memories of a project said whose introduction was undone, the latest first.
SELECT MAX(h.content) AS content FROM learning_events AS u
    JOIN learning_events AS b ON b.stream_id = u.stream_id AND b.event_type = 'LearningExtracted'
    JOIN memory_history AS h ON h.id = b.event_id
WHERE u.event_type = 'EventsUndone' AND u.project_id = :project_id
    AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.id = b.event_id)
GROUP BY b.event_id ORDER BY b.event_id DESC LIMIT :limit;

-- name: listing
-- With `as_at`, a superseded memory counts as long as it was true.
SELECT * FROM memories
WHERE (:project_id IS NULL OR project_id = :project_id OR (scope = 'global' AND :with_global = 1)
        OR project_id IN (SELECT value FROM json_each(:circles)))
    AND (:places IS NULL OR scope = 'global' OR project_id IN (SELECT value FROM json_each(:places)))
    AND (:type IS NULL OR type = :type)
    AND (:status IS NULL OR status = :status OR (:as_at IS NOT NULL AND :status = 'active' AND status = 'superseded'))
    AND (:after IS NULL OR created_at >= :after)
    AND (:before IS NULL OR created_at < :before)
    AND (:as_at IS NULL OR (COALESCE(valid_from, :as_at) <= :as_at AND (valid_until IS NULL OR valid_until > :as_at)))
    AND status != 'erased'
ORDER BY id DESC LIMIT :limit;

-- name: questionable
-- Something happened to it, an observer learned it, or it may not be true or not hold everywhere. What happened to it may
-- have come from another device before it did, so the version alone does not tell.
SELECT * FROM memories
WHERE status = 'active' AND (:project_id IS NULL OR project_id = :project_id)
    AND (version > id OR tainted = 1 OR scope = 'global' OR rest LIKE '%"source":"observer"%'
        OR rest LIKE '%"disputed":%' OR rest LIKE '%"tags":%' OR rest LIKE '%"contradicted_with":%'
        OR rest LIKE '%"gained":%')
ORDER BY id DESC;

-- name: listing_as_of
SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
FROM memories
WHERE id <= :event_id AND version <= :event_id
    AND (:project_id IS NULL OR project_id = :project_id OR (scope = 'global' AND :with_global = 1)
        OR project_id IN (SELECT value FROM json_each(:circles)))
    AND (:places IS NULL OR scope = 'global' OR project_id IN (SELECT value FROM json_each(:places)))
    AND (:type IS NULL OR type = :type)
    AND (:status IS NULL OR status = :status OR (:as_at IS NOT NULL AND :status = 'active' AND status = 'superseded'))
    AND (:after IS NULL OR created_at >= :after)
    AND (:before IS NULL OR created_at < :before)
    AND (:as_at IS NULL OR (COALESCE(valid_from, :as_at) <= :as_at AND (valid_until IS NULL OR valid_until > :as_at)))
    AND status != 'erased'
UNION ALL
SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
FROM memory_history
WHERE id <= :event_id AND version <= :event_id AND until_version > :event_id
    AND (:project_id IS NULL OR project_id = :project_id OR (scope = 'global' AND :with_global = 1)
        OR project_id IN (SELECT value FROM json_each(:circles)))
    AND (:places IS NULL OR scope = 'global' OR project_id IN (SELECT value FROM json_each(:places)))
    AND (:type IS NULL OR type = :type)
    AND (:status IS NULL OR status = :status OR (:as_at IS NOT NULL AND :status = 'active' AND status = 'superseded'))
    AND (:after IS NULL OR created_at >= :after)
    AND (:before IS NULL OR created_at < :before)
    AND (:as_at IS NULL OR (COALESCE(valid_from, :as_at) <= :as_at AND (valid_until IS NULL OR valid_until > :as_at)))
    AND status != 'erased'
ORDER BY id DESC LIMIT :limit;

-- name: told_between: A project's memories that became true in a stretch of time, the latest first.
SELECT id FROM memories
WHERE project_id = :project_id AND status = 'active' AND valid_from >= :first AND valid_from < :last
ORDER BY valid_from DESC, id DESC LIMIT :limit;

-- name: fadable
SELECT id, type, confidence, COALESCE(valid_from, created_at) AS begun, version FROM memories
WHERE status = 'active' AND pinned = 0;

-- name: counts
SELECT project_id, type, status, COUNT(*) AS memories FROM memories
WHERE (:project_id IS NULL OR project_id = :project_id)
    AND (:as_at IS NULL OR (COALESCE(valid_from, :as_at) <= :as_at AND (valid_until IS NULL OR valid_until > :as_at)))
GROUP BY project_id, type, status;

-- name: counts_as_of
SELECT project_id, type, status, COUNT(*) AS memories FROM (
    SELECT project_id, type, status, valid_from, valid_until FROM memories
    WHERE id <= :event_id AND version <= :event_id
    UNION ALL
    SELECT project_id, type, status, valid_from, valid_until FROM memory_history
    WHERE id <= :event_id AND version <= :event_id AND until_version > :event_id) AS then_
WHERE (:project_id IS NULL OR project_id = :project_id)
    AND (:as_at IS NULL OR (COALESCE(valid_from, :as_at) <= :as_at AND (valid_until IS NULL OR valid_until > :as_at)))
GROUP BY project_id, type, status;

-- name: add_text @sqlite: Put memories into the text index.
INSERT INTO memories_fts (rowid, content, terms, concepts, asked, context, place)
VALUES (:id, :content, :terms, :concepts, :asked, :context, :place);

-- name: add_text @postgres
INSERT INTO memories_fts (id, content, terms, concepts, asked, context, place, own_length, around_length)
VALUES (:id, :content, :terms, :concepts, :asked, :context, :place,
    index_memory(:id, 1, :content::words, :terms::words, :concepts::words, '{1,0.8,0.6}'),
    index_memory(:id, 0, :asked::words, :context::words, '{}', '{0.5,0.5,0}'));

-- name: set_text @sqlite
UPDATE memories_fts SET content = :content, terms = :terms, concepts = :concepts, place = :place WHERE rowid = :id;

-- name: set_text @postgres
UPDATE memories_fts SET content = :content, terms = :terms, concepts = :concepts, place = :place,
    own_length = index_memory(:id, 1, :content::words, :terms::words, :concepts::words, '{1,0.8,0.6}')
WHERE id = :id;

-- name: set_place @sqlite: Say anew who may see a memory.
UPDATE memories_fts SET place = :place WHERE rowid = :memory_id AND place != :place;

-- name: set_place @postgres
UPDATE memories_fts SET place = :place WHERE id = :memory_id AND place != :place;

-- name: drop_text @sqlite: Take a memory out of the text index.
DELETE FROM memories_fts WHERE rowid = :memory_id;

-- name: drop_text @postgres
DELETE FROM memories_fts WHERE id = :memory_id;

-- name: search_text @sqlite
-- Best matches first (bm25 is smaller for a better match). A memory's number is that of the event that introduced it, so
-- those that existed after an event are those with no higher number.
SELECT rowid AS id, bm25(memories_fts, 1.0, 0.8, 0.6, 0.5, 0.5, 0.0) AS score FROM memories_fts
WHERE memories_fts MATCH :query AND rowid <= :event_id ORDER BY score LIMIT :limit;

-- name: search_text @postgres
-- BM25 as SQLite has it, over the words of the tenant. A phrase is all of its words in one memory. How long a text is
-- on average, the newest 1,000 say.
WITH asked AS (
    SELECT nth, word, COUNT(*) OVER (PARTITION BY nth) AS needed FROM (
        SELECT DISTINCT said.nth, stem(word) AS word FROM unnest(:words::phrases) WITH ORDINALITY AS said (phrase, nth),
            unnest(string_to_array(said.phrase, ' ')) AS word) AS stems),
said AS (
    SELECT asked.nth, asked.needed, w.memory_id, w.word, SUM(w.times) AS times
    FROM asked JOIN memory_words AS w ON w.word = asked.word
    WHERE w.word = ANY (ARRAY(SELECT word FROM asked)) AND (:own = 0 OR w.is_own = 1) AND w.memory_id <= :event_id GROUP BY 1, 2, 3, 4),
matched AS (
    SELECT nth, memory_id, MIN(times) AS times FROM said GROUP BY nth, memory_id, needed HAVING COUNT(*) = needed),
newest AS (SELECT own_length + around_length AS length FROM memories_fts ORDER BY id DESC LIMIT 1000),
every AS MATERIALIZED (
    SELECT AVG(length)::double precision AS mean, CASE WHEN COUNT(*) < 1000 THEN COUNT(*) ELSE (
        SELECT GREATEST(COALESCE(SUM(events), 0), 1000) FROM event_stats WHERE event_type = 'LearningExtracted') END AS texts
    FROM newest),
common AS MATERIALIZED (
    SELECT nth, GREATEST(LN(GREATEST(texts - said + 0.5, 0.5)::double precision / (said + 0.5)), 0.000001) AS rarity
    FROM (SELECT nth, COUNT(*) AS said FROM matched GROUP BY nth) AS counted CROSS JOIN every)
SELECT t.id, -SUM(
    common.rarity * times * 2.2
    / (times + 1.2 * (0.25 + 0.75 * (t.own_length + t.around_length)::double precision / GREATEST(every.mean, 1)))) AS score
FROM matched JOIN common USING (nth) CROSS JOIN every JOIN memories_fts AS t ON t.id = matched.memory_id
WHERE :place IS NULL OR t.place IN (:place, 'peverywhere')
GROUP BY t.id HAVING :together = 0 OR COUNT(*) = (SELECT COUNT(DISTINCT nth) FROM asked)
ORDER BY score, t.id LIMIT :limit;

-- name: frequencies @sqlite
-- How many memories match each of some queries, in their order.
SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH asked.value LIMIT :ceiling))
FROM json_each(:queries) AS asked;

-- name: frequencies @postgres
SELECT (SELECT COUNT(*) FROM (
    SELECT 1 FROM memory_words AS w WHERE w.word = asked.stems[1] AND w.is_own = 1 AND (
        cardinality(asked.stems) = 1 OR w.memory_id IN (
            SELECT o.memory_id FROM memory_words AS o WHERE o.word = ANY (asked.stems) AND o.is_own = 1
            GROUP BY o.memory_id HAVING COUNT(*) = cardinality(asked.stems)))
    LIMIT :ceiling) AS counted)
FROM (SELECT nth, ARRAY(SELECT DISTINCT stem(word) FROM unnest(string_to_array(phrase, ' ')) AS word) AS stems
    FROM unnest(:words::phrases) WITH ORDINALITY AS said (phrase, nth)) AS asked ORDER BY nth;

-- name: newest_with @sqlite
-- Without a score, so that it can stop early.
SELECT rowid AS id FROM memories_fts WHERE memories_fts MATCH :query ORDER BY rowid DESC LIMIT :limit;

-- name: newest_with @postgres
WITH asked AS MATERIALIZED (
    SELECT DISTINCT stem(word) AS word FROM unnest(:words::phrases) AS phrase, unnest(string_to_array(phrase, ' ')) AS word)
SELECT one.memory_id AS id FROM memory_words AS one JOIN memories_fts AS t ON t.id = one.memory_id
WHERE one.word = (SELECT MIN(word) FROM asked) AND one.is_own = 1
    AND (:place IS NULL OR t.place IN (:place, 'peverywhere'))
    AND NOT EXISTS (SELECT 1 FROM asked WHERE NOT EXISTS (
        SELECT 1 FROM memory_words AS w WHERE w.word = asked.word AND w.memory_id = one.memory_id AND w.is_own = 1))
ORDER BY one.memory_id DESC LIMIT :limit;

-- name: matches @sqlite
SELECT 1 AS found FROM memories_fts WHERE memories_fts MATCH :query AND rowid = :id;

-- name: matches @postgres
SELECT 1 AS found FROM memory_words WHERE memory_id = :id
    AND word IN (SELECT stem(word) FROM unnest(:word::words) AS word)
HAVING COUNT(DISTINCT word) = (SELECT COUNT(DISTINCT stem(word)) FROM unnest(:word::words) AS word) AND COUNT(*) > 0;

-- name: size: How many memories were ever learned.
SELECT SUM(events) AS size FROM event_stats WHERE event_type = 'LearningExtracted';

-- name: add_concepts: Tag memories; a tag that is there stays (add wins).
INSERT INTO concepts (memory_id, concept, version) VALUES (:memory_id, :concept, :version)
ON CONFLICT (memory_id, concept) DO NOTHING;

-- name: drop_concepts: Remove a memory's tags (erasure).
DELETE FROM concepts WHERE memory_id = :memory_id;

-- name: add_stats: Count events by project and type.
INSERT INTO event_stats (project_id, event_type, events, last_event_id, last_time)
VALUES (:project_id, :event_type, :events, :last_event_id, :last_time)
ON CONFLICT (project_id, event_type) DO UPDATE SET
    events = event_stats.events + excluded.events, last_event_id = excluded.last_event_id,
    last_time = MAX(event_stats.last_time, excluded.last_time);

-- name: checkpoint: The last event a projector has taken in.
SELECT last_event_id FROM projection_checkpoints WHERE projector_name = :projector;

-- name: checkpoints: How far every projector has come.
SELECT projector_name, last_event_id FROM projection_checkpoints ORDER BY projector_name;

-- name: set_checkpoint
INSERT INTO projection_checkpoints (projector_name, last_event_id, updated_at) VALUES (:name, :last_event_id, :now)
ON CONFLICT (projector_name) DO UPDATE SET last_event_id = excluded.last_event_id, updated_at = excluded.updated_at;

-- name: clear_memories
DELETE FROM memories;

-- name: clear_history
DELETE FROM memory_history;

-- name: clear_concepts
DELETE FROM concepts;

-- name: clear_text @sqlite
-- Row by row would take each one out of the index with care (secure-delete); the whole is emptied at once.
DELETE FROM memories_fts_content;

-- name: clear_text @postgres
DELETE FROM memories_fts;

-- name: clear_index @sqlite
-- Makes the index of the text that is there: none. Follows `clear_text`.
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');

-- name: clear_index @postgres
DELETE FROM memory_words;

-- name: clear_stats
DELETE FROM event_stats;

-- name: rows_memories
SELECT * FROM memories ORDER BY id;

-- name: rows_memory_history
SELECT * FROM memory_history ORDER BY id, version;

-- name: rows_concepts
SELECT * FROM concepts ORDER BY memory_id, concept;

-- name: rows_edges
-- The version comes last: it is a number of this device alone, and all before it is the same on every device.
SELECT source_id, target_id, rel_type, weight, confidence, status, valid_from, created_at, valid_until, evidence, version
FROM edges ORDER BY source_id, target_id, rel_type;

-- name: rows_memories_fts @sqlite
SELECT rowid, * FROM memories_fts ORDER BY rowid;

-- name: rows_memories_fts @postgres
SELECT id, content, terms, concepts, asked, context, place FROM memories_fts ORDER BY id;

-- name: rows_reviews
SELECT * FROM reviews ORDER BY item;

-- name: rows_mentions
SELECT * FROM mentions ORDER BY memory_id, entity_id;

-- name: rows_observations
SELECT * FROM observations ORDER BY memory_id, nth;

-- name: rows_entity_names
SELECT * FROM entity_names ORDER BY entity_id;

-- name: rows_entity_moves
SELECT * FROM entity_moves ORDER BY learning_id, entity_id;

-- name: rows_event_stats
SELECT * FROM event_stats ORDER BY project_id, event_type;

-- name: check_text @sqlite: Fail when the text index does not fit the text it was made of.
-- Compares the index with the text it was made of; an error when they differ.
INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check');

-- name: check_text @postgres
SELECT check_text();

-- name: rows_observed
SELECT * FROM observed ORDER BY learning_id;

-- name: rows_observed_sightings
SELECT * FROM observed_sightings ORDER BY learning_id, signal, subject;

-- name: rows_briefs
SELECT * FROM briefs ORDER BY learning_id;

-- name: rows_read_sessions
SELECT * FROM read_sessions ORDER BY learning_id;

-- name: rows_brief_lines
SELECT * FROM brief_lines ORDER BY learning_id;

-- name: rows_tidyings
SELECT * FROM tidyings ORDER BY learning_id;
