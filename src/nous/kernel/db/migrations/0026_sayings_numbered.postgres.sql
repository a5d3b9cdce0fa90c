-- What is new of a project's sentences, and the sessions of a module, without reading the rest.
CREATE INDEX IF NOT EXISTS sayings_in_order ON sayings (tenant_id, project_id, saying_id);
CREATE INDEX IF NOT EXISTS observed_files_by_module ON observed_files (tenant_id, project_id, module, path, session_id);
