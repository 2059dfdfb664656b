"""The rules: what each says of the evidence, and when it keeps silent."""
