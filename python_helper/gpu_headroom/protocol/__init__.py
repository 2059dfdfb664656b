"""Protocol of kernel and front end: the schema, its types, and the check of requests."""
