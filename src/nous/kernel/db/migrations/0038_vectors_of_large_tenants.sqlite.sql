-- Nothing to do in a file: only a server has an index of vectors.
SELECT 1;
