-- name: get
SELECT *, transcript_path AS path FROM transcript_files WHERE transcript_path = :path;

-- name: all
SELECT transcript_path, device, inode, size, mtime_ns, gone_at FROM transcript_files;

-- name: by_inode
SELECT *, transcript_path AS path FROM transcript_files WHERE inode = :inode AND device = :device AND transcript_path <> :path;

-- name: put
INSERT INTO transcript_files (
    transcript_path, device, inode, generation, size, mtime_ns, read_offset, head_length, head_hash, anchor_length,
    anchor_hash, is_own, gone_at)
VALUES (
    :path, :device, :inode, :generation, :size, :mtime_ns, :read_offset, :head_length, :head_hash, :anchor_length,
    :anchor_hash, :is_own, NULL)
ON CONFLICT (transcript_path) DO UPDATE SET
    device = excluded.device, inode = excluded.inode, generation = excluded.generation, size = excluded.size,
    mtime_ns = excluded.mtime_ns, read_offset = excluded.read_offset, head_length = excluded.head_length,
    head_hash = excluded.head_hash, anchor_length = excluded.anchor_length, anchor_hash = excluded.anchor_hash,
    is_own = excluded.is_own, gone_at = NULL;

-- name: gone
UPDATE transcript_files SET gone_at = :now WHERE transcript_path = :path AND gone_at IS NULL;

-- name: forget_gone
DELETE FROM transcript_files WHERE gone_at < :moment;

-- name: forget
DELETE FROM transcript_files WHERE transcript_path = :path;
