-- What was removed because nobody used what it gave (docs/decisions/0220).
DROP VIEW IF EXISTS observer_error_patterns;
DROP TABLE IF EXISTS observed_errors;
