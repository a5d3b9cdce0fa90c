"""Benchmarks that ship with Nous. `python -m bench` runs them and writes `bench/results/*.json`."""
