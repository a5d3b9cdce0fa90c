-- What was observed in sessions: read models of SessionObserved, and what they add up to.
CREATE TABLE observed (
    learning_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    prompts INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    corrections INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    rereads INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    agents INTEGER NOT NULL,
    phases TEXT NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX observed_by_project ON observed (project_id, started_at);

CREATE TABLE observed_files (
    learning_id TEXT NOT NULL,
    path TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    module TEXT NOT NULL,
    reads INTEGER NOT NULL,
    edits INTEGER NOT NULL,
    first INTEGER NOT NULL,
    PRIMARY KEY (learning_id, path)
) WITHOUT ROWID;
CREATE INDEX observed_files_by_path ON observed_files (project_id, path);

CREATE TABLE observed_errors (
    learning_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    message TEXT NOT NULL,
    times INTEGER NOT NULL,
    ended_by TEXT NOT NULL,
    PRIMARY KEY (learning_id, fingerprint)
) WITHOUT ROWID;
CREATE INDEX observed_errors_by_fingerprint ON observed_errors (project_id, fingerprint);

CREATE TABLE observed_sightings (
    learning_id TEXT NOT NULL,
    signal TEXT NOT NULL,
    subject TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    said TEXT NOT NULL,
    evidence TEXT NOT NULL,
    PRIMARY KEY (learning_id, signal, subject)
) WITHOUT ROWID;
CREATE INDEX observed_sightings_by_subject ON observed_sightings (project_id, signal, subject);
CREATE INDEX observed_sightings_by_session ON observed_sightings (session_id);

-- Which modules were looked at as a whole, and when they had how many sessions.
CREATE TABLE observer_synthesis_log (
    module TEXT NOT NULL,
    project_id TEXT NOT NULL,
    trigger_count INTEGER NOT NULL,
    synthesized_at TEXT NOT NULL,
    memories_generated INTEGER NOT NULL,
    PRIMARY KEY (module, project_id, trigger_count)
) WITHOUT ROWID;

CREATE VIEW observer_file_nodes AS
SELECT f.project_id, f.path, f.path AS file_path, f.module, SUM(f.reads + f.edits) AS access_count, SUM(f.edits) AS edits,
    COUNT(*) AS session_count, MAX(o.ended_at) AS last_accessed_at
FROM observed_files AS f JOIN observed AS o USING (learning_id) GROUP BY f.project_id, f.path;

CREATE VIEW observer_co_access_edges AS
SELECT s.project_id, substr(s.subject, 1, instr(s.subject, char(10)) - 1) AS file_a,
    substr(s.subject, instr(s.subject, char(10)) + 1) AS file_b, COUNT(*) AS session_count, COUNT(*) AS raw_count,
    1.0 * COUNT(*) / (SELECT COUNT(*) FROM observed AS o WHERE o.project_id = s.project_id AND o.calls > 0) AS weight,
    MAX(b.ended_at) AS last_observed_at
FROM observed_sightings AS s JOIN observed AS b USING (learning_id)
WHERE s.signal = 'co_access' GROUP BY s.project_id, s.subject;

CREATE VIEW observer_error_patterns AS
SELECT e.project_id, e.tool AS tool_name, e.fingerprint AS error_fingerprint, MAX(e.message) AS error_message,
    SUM(e.times) AS occurrence_count, COUNT(*) AS sessions, MAX(o.ended_at) AS last_seen_at, MAX(e.ended_by) AS resolved_how
FROM observed_errors AS e JOIN observed AS o USING (learning_id) GROUP BY e.project_id, e.fingerprint;

CREATE VIEW observer_module_session_counts AS
SELECT project_id, module, COUNT(DISTINCT session_id) AS count FROM observed_files GROUP BY project_id, module;
