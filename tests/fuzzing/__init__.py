"""What the Python fuzz targets run: each takes any bytes, and fails if something is wrong."""
