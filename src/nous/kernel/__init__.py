"""What every install needs, and what knows no feature."""
