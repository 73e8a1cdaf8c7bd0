#!/usr/bin/env bash
# Writes one fuzz target per tool of the registry. Run after a source was added.
set -euo pipefail
cd "$(dirname "$0")"
for tool in $(grep -rhoE 'tool: "[a-z_]+"' ../adapters/*/src | cut -d'"' -f2 | sort -u); do
  printf '#![no_main]\nlibfuzzer_sys::fuzz_target!(|data: &[u8]| freshcontext_fuzz::ask("%s", data));\n' "$tool" > "fuzz_targets/$tool.rs"
done
