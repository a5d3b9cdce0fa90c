-- What was said in two projects is one more thing that the near-miss log decides.
ALTER TABLE near_misses DROP CONSTRAINT IF EXISTS near_misses_decision_check;
ALTER TABLE near_misses ADD CONSTRAINT near_misses_decision_check
    CHECK (decision IN ('apart', 'merge', 'boost', 'flag', 'reword', 'everywhere'));
