#!/usr/bin/env bash
# Print the path of a Chromium for the browser tests; install one where none is here.
# Order: the one named in GPU_HEADROOM_CHROMIUM, the system's, Debian's package
# (where we may install it), Playwright's own download.
set -euo pipefail

find_chromium() {
  command -v "${GPU_HEADROOM_CHROMIUM:-chromium}" ||
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

install_from_debian() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  echo "Chromium is missing: installing Debian's package." >&2
  apt-get update --quiet --quiet >&2 && apt-get install --quiet --quiet --yes chromium >&2
}

install_from_playwright() {
  echo "Chromium is missing: downloading Playwright's own." >&2
  cd "$(dirname "$0")/../ui-tests"
  node node_modules/@playwright/test/cli.js install chromium >&2 &&
    node -p 'require("@playwright/test").chromium.executablePath()'
}

find_chromium ||
  { install_from_debian && find_chromium; } ||
  install_from_playwright ||
  { echo "Chromium is missing: install it from your package manager, or name one in GPU_HEADROOM_CHROMIUM." >&2; exit 1; }
