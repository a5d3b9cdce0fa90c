"""From a session to events: what is new, what is known already, what ends."""
