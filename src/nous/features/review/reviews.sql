-- name: put: Keep decisions; the latest about an item counts.
INSERT INTO reviews (item, learning_id, action, until, version) VALUES (:item, :learning_id, :action, :until, :version)
ON CONFLICT (item) DO UPDATE SET
    learning_id = excluded.learning_id, action = excluded.action, until = excluded.until, version = excluded.version;

-- name: drop: Remove every decision about one learning, or about it and another (erasure).
DELETE FROM reviews WHERE learning_id = :learning_id OR ':' || item || ':' LIKE '%:' || :learning_id || ':%';

-- name: naming: The items that were decided about one learning, or about it and another.
SELECT item FROM reviews WHERE learning_id = :learning_id OR ':' || item || ':' LIKE '%:' || :learning_id || ':%';

-- name: remove: Remove the decisions about items, before they are made anew.
DELETE FROM reviews WHERE item = :item;

-- name: list_decided: Items that need no decision now.
SELECT item FROM reviews WHERE until IS NULL OR until > :now;

-- name: waits: Whether a decision about an item was put off.
SELECT 1 AS waits FROM reviews WHERE item = :item AND until IS NOT NULL;

-- name: clear: Empty the read model before it is built again.
DELETE FROM reviews;
