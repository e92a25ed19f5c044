"""The goal agent: Q-learning conditioned on a summary length, an extension of the paper (docs/goal-agent.md)."""
