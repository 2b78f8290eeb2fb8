#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# gallery: small pictures of the figures from papers, of the model that ships with the program, for README.
source tests/dev/parts/common.sh

# draw NAME OPERAND: into data/gallery, in the width of a column of a journal.
draw ()
{
  "$program" render "$2" --size 85mm --resolution 96 -o "data/gallery/$1.png"
}

main ()
{
  local name

  install_packages build
  build_program
  export ATTENTION_GRID_DATADIR=$root/build/data
  scratch=$(mktemp -d)
  mkdir -p data/gallery
  # Their commands are the lines that name them.
  for name in $("$program" presets | sed -nE 's/^ +attention-grid render ([a-z-]+) -o .*/\1/p'); do
    draw "$name" "$name"
  done
  "$program" probe --table data/examples/answers.csv -o "$scratch/probe.npz"
  draw probe "$scratch/probe.npz"
  echo "data/gallery"
}

main
