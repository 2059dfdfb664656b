"""The wings of the helper, one in a line: without its line and its folder, a wing is gone."""

WINGS = (
    ".trends.monitor",
    ".frames.wing",
    ".workers.wing",
    ".rescue.wing",
    "gpu_dry_run.wing",
)
