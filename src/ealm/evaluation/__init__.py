"""Comparing summaries with references: data, systems, scores, tables, figures and a report (section 5)."""
