"""`ealm serve`: the summarizer as a service, with a page. Nothing that a user sends is logged or stored."""
