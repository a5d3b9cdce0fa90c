"""The shapes of sentences, as patterns: one module for each thing that a sentence can be."""
