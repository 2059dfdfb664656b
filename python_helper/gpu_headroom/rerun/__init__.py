"""What running cells again would cost, and what is let go of before they do."""
