"""How two sayings stand to each other: one question, asked in one place.

`relate` answers it: same, refines, replaces, contradicts or unrelated. `relearn` decides what that means for what is
known, `reconcile` what it means for memories of sessions that did not know of each other.
"""
