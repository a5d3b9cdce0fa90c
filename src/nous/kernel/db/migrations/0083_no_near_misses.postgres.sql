-- What only served to tune thresholds and nobody read.
DROP TABLE IF EXISTS near_misses;
