"""Where candidates come from: words, meaning, relations, time. Each module has one `find`."""
