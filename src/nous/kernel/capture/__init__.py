"""From transcripts on disk to sessions in the queue."""
