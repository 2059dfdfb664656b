"""What travels between kernel and page: the schema, its types, and the check of what is asked."""
