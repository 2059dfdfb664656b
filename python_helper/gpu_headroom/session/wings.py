"""The wings of the helper, one in a line: without its line and its folder, a wing is gone."""

WINGS = (
    "..trends.wing",
    "..frames.wing",
)
