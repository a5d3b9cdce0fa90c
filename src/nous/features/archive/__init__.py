"""What faded leaves the active set; old words move into compressed files."""
