"""Generated: one module for every family of methods."""
