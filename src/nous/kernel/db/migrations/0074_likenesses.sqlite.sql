-- What is near by its vector is asked of the vectors when it is needed (docs/decisions/0212).
DROP VIEW IF EXISTS relations;
DROP TABLE IF EXISTS likenesses;
DROP TABLE IF EXISTS linked_vectors;
