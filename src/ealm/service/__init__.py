"""The service and its page: `ealm serve`."""
