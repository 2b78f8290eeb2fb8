#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# words.sh NAME: what the files of a fuzzer's target are made of, as a dictionary for it. A drawn figure holds its
# study, whose words are those of the tables in src.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

case $1 in
  study | svg | page)
    sed '/^"\\"/d' words.dict
    cat ../../src/study/document/*.[ch] ../../src/figure/{scene,color}/*.c ../../src/model/{intervention,pass,measures}/*.c |
      grep -oE '"[a-z][a-z0-9.-]*"' | tr . '\n' | grep -oE '[a-z][a-z0-9-]*' | sort -u | sed 's/.*/"\\"&\\""/'
    ;;
  *) cat words.dict ;;
esac
