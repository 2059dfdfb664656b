#!/usr/bin/env bash
# Run the browser tests in one application, with further arguments for Playwright.
set -euo pipefail
cd "$(dirname "$0")/.."
GPU_HEADROOM_CHROMIUM="$(cat .make/chromium)"
GPU_HEADROOM_FIREFOX="$(cat .make/firefox 2>/dev/null || true)"
export GPU_HEADROOM_APP="$1" GPU_HEADROOM_CHROMIUM GPU_HEADROOM_FIREFOX
shift
cd ui-tests
exec node node_modules/@playwright/test/cli.js test "$@"
