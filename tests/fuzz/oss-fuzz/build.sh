#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# OSS-Fuzz calls this in the folder of the sources, with the compiler and its flags in the environment. What it
# leaves in $OUT runs on a machine that has none of the libraries.
set -euo pipefail

build=$WORK/attention-grid
programs=()
meson setup "$build" -Dmpi=disabled -Db_lundef=false
mkdir -p "$OUT/lib"
cp -r data/models "$OUT" # whose tokenizer reads texts
for corpus in tests/fuzz/corpus/*; do
  name=${corpus##*/}
  ninja -C "$build" "tests/fuzz/fuzz-$name"
  cp "$build/tests/fuzz/fuzz-$name" "$OUT"
  zip -qj "$OUT/fuzz-${name}_seed_corpus.zip" "$corpus"/*
  bash tests/fuzz/words.sh "$name" > "$OUT/fuzz-$name.dict"
  programs+=("$OUT/fuzz-$name")
done
# Everything but what belongs to the kernel and to the C library.
ldd "${programs[@]}" | awk '$2 == "=>" { print $3 }' | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv)\.so' | xargs cp -t "$OUT/lib"
# A path that holds for the libraries of libraries as well.
patchelf --force-rpath --set-rpath "\$ORIGIN/lib" "${programs[@]}"
