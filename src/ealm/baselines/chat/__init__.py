"""Chat models as systems to compare with."""
