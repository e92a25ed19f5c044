"""What the method is compared with: each baseline is a module or a folder of its own."""
