-- The code graph of one work tree, in a file of its own: it can be thrown away and made again at any time.

-- name: schema
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    file_id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    language TEXT NOT NULL,
    hash TEXT NOT NULL,
    lines INTEGER NOT NULL,
    is_broken INTEGER NOT NULL,
    outline BLOB NOT NULL
);
CREATE TABLE symbols (
    symbol_id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    end INTEGER NOT NULL
);
CREATE INDEX symbols_by_file ON symbols (file_id, path);
CREATE INDEX symbols_by_name ON symbols (name);
CREATE TABLE imports (
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    module TEXT NOT NULL,
    item TEXT NOT NULL,
    line INTEGER NOT NULL,
    to_path TEXT
);
CREATE INDEX imports_by_file ON imports (file_id);
CREATE INDEX imports_by_path ON imports (to_path);
-- `to_id`: the symbol that is meant; 0 when its receiver is unknown (possible), -1 when it lies outside the tree.
CREATE TABLE refs (
    ref_id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    from_id INTEGER NOT NULL,
    within TEXT NOT NULL,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    relation TEXT NOT NULL,
    to_id INTEGER NOT NULL
);
CREATE INDEX refs_by_file ON refs (file_id);
CREATE INDEX refs_by_name ON refs (name, to_id);
CREATE INDEX refs_by_target ON refs (to_id, from_id) WHERE to_id > 0;

-- name: put_fact
INSERT INTO facts (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: facts: The tree, its project, whether the graph is complete.
SELECT name, value FROM facts;

-- name: hashes: The number and content hash of every file.
SELECT path, file_id, hash FROM files;

-- name: put_file
INSERT INTO files (path, language, hash, lines, is_broken, outline)
VALUES (:path, :language, :hash, :lines, :is_broken, :outline)
ON CONFLICT (path) DO UPDATE SET language = excluded.language, hash = excluded.hash, lines = excluded.lines,
    is_broken = excluded.is_broken, outline = excluded.outline
RETURNING file_id;

-- name: add_symbols
INSERT INTO symbols (file_id, name, path, kind, line, end) VALUES (?, ?, ?, ?, ?, ?);

-- name: drop_symbols
DELETE FROM symbols WHERE file_id = :file_id;

-- name: symbol_numbers
SELECT file_id, symbol_id FROM symbols ORDER BY symbol_id;

-- name: outlines
SELECT file_id, path, outline FROM files;

-- name: clear_imports
DELETE FROM imports;

-- name: clear_refs
DELETE FROM refs;

-- name: add_imports: Rows of file, name, module, item, line and the path that is meant.
INSERT INTO imports (file_id, name, module, item, line, to_path) VALUES (?, ?, ?, ?, ?, ?);

-- name: add_refs: Rows of file, symbol it stands in, its path, path, last name, relation, symbol that is meant.
INSERT INTO refs (file_id, from_id, within, path, name, relation, to_id) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: drop_file
DELETE FROM files WHERE file_id = :file_id;

-- name: files_like
-- Files whose path ends with some parts.
SELECT file_id, path FROM files WHERE path = :path OR path LIKE :ending ESCAPE '\' ORDER BY length(path), path LIMIT 20;

-- name: symbols_named: Symbols with exactly that name.
SELECT symbols.symbol_id, files.path AS file, symbols.name, symbols.path, symbols.kind, symbols.line, symbols.end
FROM symbols JOIN files USING (file_id)
WHERE symbols.name = :name
ORDER BY symbols.kind = 'variable', files.path, symbols.line LIMIT :limit;

-- name: symbols_in: The symbols of a file by its path, in its order.
SELECT symbols.symbol_id, files.path AS file, symbols.name, symbols.path, symbols.kind, symbols.line, symbols.end
FROM symbols JOIN files USING (file_id)
WHERE files.path = :file
ORDER BY symbols.line, symbols.symbol_id;

-- name: symbols_by_id
SELECT symbols.symbol_id, files.path AS file, symbols.name, symbols.path, symbols.kind, symbols.line, symbols.end
FROM symbols JOIN files USING (file_id)
WHERE symbols.symbol_id IN (SELECT value FROM json_each(:ids));

-- name: pointing_at: Who calls or builds upon any of some symbols.
-- Who calls or builds upon any of some symbols, as the code proves it.
SELECT refs.to_id, refs.from_id, refs.file_id, refs.relation
FROM refs
WHERE refs.to_id > 0 AND refs.to_id IN (SELECT value FROM json_each(:ids))
LIMIT :limit;

-- name: maybe_calling: Who may call something of that name.
-- Who calls something of that name on a receiver of which nothing is known.
SELECT DISTINCT refs.from_id, refs.file_id FROM refs
WHERE refs.name = :name AND refs.to_id = 0 AND refs.relation = 'calls'
LIMIT :limit;

-- name: how_many_maybe: How many may call something of that name.
SELECT COUNT(DISTINCT from_id) AS many FROM refs WHERE name = :name AND to_id = 0 AND relation = 'calls';

-- name: importers: The files that import a file, or of it a name.
-- Who imports a file; with a name only those that import that of it, or the file as a whole.
SELECT DISTINCT files.path FROM imports JOIN files USING (file_id)
WHERE imports.to_path = :path AND files.path != :path AND (:name = '' OR imports.item IN (:name, '', '*', 'default'))
ORDER BY files.path;

-- name: paths: Every file.
SELECT path FROM files;

-- name: path_of: The path of a file by its number.
SELECT path FROM files WHERE file_id = :file_id;

-- name: sizes
SELECT
    (SELECT COUNT(*) FROM files) AS files,
    (SELECT COUNT(*) FROM symbols) AS symbols,
    (SELECT COUNT(*) FROM imports) AS imports,
    (SELECT COUNT(*) FROM refs WHERE to_id > 0) AS proven,
    (SELECT COUNT(*) FROM refs WHERE to_id = 0) AS possible,
    (SELECT COUNT(*) FROM files WHERE is_broken) AS broken;
