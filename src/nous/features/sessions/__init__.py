"""Sessions and episodes, as they were kept."""
