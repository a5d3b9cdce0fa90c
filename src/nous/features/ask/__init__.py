"""A question answered in a few sentences by the chosen model, from the best hits of recall and nothing else."""
