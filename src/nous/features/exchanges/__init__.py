"""What was said and done before, as it is kept and found."""
