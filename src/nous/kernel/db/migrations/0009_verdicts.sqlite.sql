-- What a judge said about two memories, under the canonical pair; another model's word replaces it.
CREATE TABLE nli_results (
    memory_id_a INTEGER NOT NULL,
    memory_id_b INTEGER NOT NULL,
    nli_label TEXT NOT NULL CHECK (nli_label IN ('entailment', 'neutral', 'contradiction')),
    relation TEXT NOT NULL,
    confidence REAL NOT NULL,
    model_version TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK (memory_id_a < memory_id_b),
    PRIMARY KEY (memory_id_a, memory_id_b)
) WITHOUT ROWID;
CREATE INDEX idx_nli_results_b ON nli_results (memory_id_b);
CREATE INDEX idx_nli_results_updated_at ON nli_results (updated_at);

-- How far reconciliation has looked at changed memories, by judge.
CREATE TABLE reconciled (
    model_version TEXT PRIMARY KEY,
    last_version INTEGER NOT NULL,
    updated_at TEXT NOT NULL
);
