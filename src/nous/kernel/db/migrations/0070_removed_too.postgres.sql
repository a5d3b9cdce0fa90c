-- What was removed because nobody used what it gave (docs/decisions/0208).
DROP TABLE IF EXISTS experiment_sessions;
DROP TABLE IF EXISTS experiments;
