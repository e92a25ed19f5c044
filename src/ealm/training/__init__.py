"""Training of agents: `ealm train`."""
