-- Which budget a call to a model is counted in: the day's, or the one that was given for the history.
ALTER TABLE llm_calls ADD COLUMN budget text COLLATE "C" NOT NULL DEFAULT 'daily';
