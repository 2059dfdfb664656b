"""What our pages need beside what Sphinx and MyST do."""
