"""Answers told: text, tables, plots, stories, and files written whole."""
