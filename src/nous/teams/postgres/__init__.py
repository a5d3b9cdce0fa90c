"""PostgreSQL: the engine of a team, and what of SQLite's SQL it says otherwise."""
