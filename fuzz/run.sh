#!/usr/bin/env bash
# Runs every fuzz target for SECONDS_EACH (default 120) with the fixtures as seeds; needs a nightly toolchain
# and cargo-fuzz. Stops at the first crash.
set -euo pipefail
cd "$(dirname "$0")"
seconds="${SECONDS_EACH:-120}"
# The time and memory limits for one input are in src/limits.rs: 200,000 bytes may take 4.5 s and 12.6 MiB. The limits
# here stop an input that never returns, or that allocates too much at once.
limits=(-max_len=200000 -timeout=10 -malloc_limit_mb=16 -rss_limit_mb=1024)
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo +nightly fuzz list)
for target in "${targets[@]}"; do
  seeds="corpus/$target"
  mkdir -p "$seeds"
  # Inputs of no source's are beside this script.
  [ ! -d "seeds/$target" ] || cp -n "seeds/$target"/* "$seeds/"
  # Every body of the source's fixtures is a seed; the case names its tool.
  grep -rlE "^tool = \"$target\"" ../fixtures --include=case.toml 2>/dev/null | while read -r case; do
    find "$(dirname "$case")" -type f ! -name case.toml -size -200k -exec cp -n {} "$seeds/" \;
  done
  echo "== $target for $seconds s, $(find "$seeds" -type f | wc -l) seeds"
  cargo +nightly fuzz run "$target" "$seeds" -- -max_total_time="$seconds" "${limits[@]}" -print_final_stats=1 2>&1 |
    grep -E 'stat::number_of_executed_units|DONE|ERROR|SUMMARY|panicked' || true
  if compgen -G "artifacts/$target/*" >/dev/null; then echo "$target: a crash is in artifacts/$target" >&2; exit 1; fi
done
