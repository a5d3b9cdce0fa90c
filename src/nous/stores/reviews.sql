-- name: put
INSERT INTO reviews (item, learning_id, action, until, version) VALUES (:item, :learning_id, :action, :until, :version)
ON CONFLICT (item) DO UPDATE SET
    learning_id = excluded.learning_id, action = excluded.action, until = excluded.until, version = excluded.version;

-- name: drop
DELETE FROM reviews WHERE learning_id = :learning_id OR ':' || item || ':' LIKE '%:' || :learning_id || ':%';

-- name: naming
SELECT item FROM reviews WHERE learning_id = :learning_id OR ':' || item || ':' LIKE '%:' || :learning_id || ':%';

-- name: remove
DELETE FROM reviews WHERE item = :item;

-- name: decided
SELECT item FROM reviews WHERE until IS NULL OR until > :now;

-- name: waits
SELECT 1 AS waits FROM reviews WHERE item = :item AND until IS NOT NULL;

-- name: clear
DELETE FROM reviews;
