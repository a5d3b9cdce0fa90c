-- Nothing reads which files sessions opened any more (docs/decisions/0208); the log keeps it.
DROP VIEW IF EXISTS observer_module_session_counts;
DROP VIEW IF EXISTS observer_co_access_edges;
DROP VIEW IF EXISTS observer_file_nodes;
DROP TABLE IF EXISTS observed_files;
