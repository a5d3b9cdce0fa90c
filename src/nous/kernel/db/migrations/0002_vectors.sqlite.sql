-- The text index learns what was said around a memory, and vectors get their place beside it.

-- `asked` is the question a memory answers, `context` what was said two before and one after, `place` the project.
DROP TABLE memories_fts;
CREATE VIRTUAL TABLE memories_fts USING fts5 (
    content, terms, concepts, asked, context, place,
    tokenize = "porter unicode61 remove_diacritics 2"
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);
DELETE FROM projection_checkpoints WHERE projector_name = 'text';

-- Memories that tell of a sequence, in its order: neighbours give each other context.
CREATE TABLE text_sessions (
    session_id TEXT NOT NULL,
    memory_id INTEGER NOT NULL,
    PRIMARY KEY (session_id, memory_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX idx_text_sessions_memory ON text_sessions (memory_id);

-- A vector belongs to the model that made it; `source` is the hash of the words it was made from, `seq` grows with every
-- write, so that a search index held in memory knows what it has not seen. The blob is what sqlite-vec calls float32.
CREATE TABLE embedding_models (
    model_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dims INTEGER NOT NULL
);
CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL,
    model_id INTEGER NOT NULL REFERENCES embedding_models (model_id),
    source INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (memory_id, model_id)
);
CREATE INDEX idx_vectors_source ON vectors (model_id, source);

-- Memories whose vectors are missing or no longer true.
CREATE TABLE vector_queue (memory_id INTEGER PRIMARY KEY);

-- What changed since a search index was built.
CREATE INDEX idx_memories_version ON memories (version);

-- Questions about a stretch of time.
CREATE INDEX idx_memories_valid_from ON memories (project_id, valid_from);

-- A caller's own key finds its memory at once.
CREATE INDEX idx_memories_ref ON memories (ref, project_id) WHERE ref IS NOT NULL;
