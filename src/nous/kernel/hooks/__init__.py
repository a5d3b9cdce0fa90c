"""What a hook answers. Standard library only: hooks wait for it (`hookcache` runs in the daemon)."""
