#!/usr/bin/env bash
# Writes one fuzz target per registered tool, and the manifest's list of targets. Run it after adding a source.
set -euo pipefail
cd "$(dirname "$0")"
for tool in $(grep -rhoE 'tool: "[a-z_]+"' ../adapters/*/src | cut -d'"' -f2 | sort -u); do
  printf '#![no_main]\nfreshcontext_fuzz::target!(|data| freshcontext_fuzz::ask("%s", data));\n' "$tool" >"fuzz_targets/$tool.rs"
done
manifest=$(sed '/^\[\[bin\]\]/,$d' Cargo.toml)
{
  printf '%s\n' "$manifest"
  for target in fuzz_targets/*.rs; do
    name=$(basename "$target" .rs)
    printf '\n[[bin]]\nname = "%s"\npath = "%s"\ntest = false\ndoc = false\nbench = false\n' "$name" "$target"
  done
} >Cargo.toml.new
mv Cargo.toml.new Cargo.toml
