-- Named things. A mention is that a memory names one, an observation what it says of it; both are made from the event
-- that introduced the memory. An entity has no row of its own: it is the mentions with its id, and what people decided
-- about its names.
CREATE TABLE mentions (
    memory_id INTEGER NOT NULL,
    entity_id TEXT NOT NULL,
    form TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    project_id TEXT NOT NULL,
    learning_id TEXT NOT NULL,
    said_at TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (memory_id, entity_id)
) WITHOUT ROWID;
CREATE INDEX idx_mentions_entity ON mentions (entity_id, memory_id);
CREATE INDEX idx_mentions_form ON mentions (form);
CREATE INDEX idx_mentions_project ON mentions (project_id);

CREATE TABLE observations (
    memory_id INTEGER NOT NULL,
    nth INTEGER NOT NULL,
    entity_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    target_id TEXT,
    object TEXT NOT NULL,
    project_id TEXT NOT NULL,
    said_at TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (memory_id, nth)
) WITHOUT ROWID;
CREATE INDEX idx_observations_entity ON observations (entity_id);
CREATE INDEX idx_observations_target ON observations (target_id) WHERE target_id IS NOT NULL;

-- What people decided: which entity one is part of, its name, whether it is one at all.
CREATE TABLE entity_names (
    entity_id TEXT PRIMARY KEY,
    root_id TEXT NOT NULL,
    name TEXT,
    rejected INTEGER NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_entity_names_root ON entity_names (root_id);

-- A name that means two things: which memories mean the other one.
CREATE TABLE entity_moves (
    learning_id TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    moved_to TEXT NOT NULL,
    PRIMARY KEY (learning_id, entity_id)
) WITHOUT ROWID;
CREATE INDEX idx_entity_moves_to ON entity_moves (moved_to);

CREATE INDEX idx_learning_events_entities ON learning_events (event_id) WHERE stream = 'entity';
