"""Tidying: all memories of a project gone through by a model, now and then; merges, groups, the page, the brief."""
