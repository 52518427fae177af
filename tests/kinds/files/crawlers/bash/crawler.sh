#!/usr/bin/env bash
# A small crawler.

MAX_DEPTH=5
readonly RETRIES=3
TOKEN="${CRAWLER_TOKEN:-anonymous}"
depth=3

# Fetch one page and give its text.
# $1 is the url, $2 the seconds to wait.
fetch_page() {
  local url="$1" timeout="${2:-30}"
  if [ -z "$url" ]; then
    return 2
  fi
  if [ -n "$CRAWLER_OFFLINE" ]; then
    exit 3
  fi
  read_body "$url" "$timeout"
}

read_body() {
  printf '%s' "$1"
}

# Send one request with the usual timeout.
send_request() {
  fetch_page "$1" 30
}

# Send everything through a proxy from now on.
set_proxy() {
  proxy_url="$1"
  export http_proxy="$1"
}

while [ $# -gt 0 ]; do
  case "$1" in
    -d|--depth) depth="$2"; shift ;;
    --verbose) verbose=1 ;;
  esac
  shift
done

export -f fetch_page
