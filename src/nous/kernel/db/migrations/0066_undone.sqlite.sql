-- What was taken back, by project: whoever tells of an earlier exchange asks whether it says that.
CREATE INDEX idx_learning_events_undone ON learning_events (project_id, event_id) WHERE event_type = 'EventsUndone';
