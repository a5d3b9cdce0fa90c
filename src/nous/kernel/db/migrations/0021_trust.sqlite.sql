-- How far the memories of a project are trusted, where somebody chose a level, and what people said of memories.
CREATE TABLE trust_levels (
    project_id TEXT PRIMARY KEY,
    level INTEGER NOT NULL,
    since TEXT NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX idx_learning_events_judged ON learning_events (project_id, event_id) WHERE source = 'user_review'
    AND event_type IN ('LearningConfirmed', 'LearningDisputed', 'LearningSuperseded', 'LearningArchived');
