"""The database: what a driver must offer, SQLite, named statements, migrations."""
