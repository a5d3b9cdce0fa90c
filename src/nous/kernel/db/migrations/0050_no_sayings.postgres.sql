-- What users said is no longer kept sentence by sentence: what is said again is found among the memories.
DROP TABLE IF EXISTS sayings;
