"""What happens in sessions, counted; what comes back becomes a memory."""
