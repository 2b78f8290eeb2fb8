#!/bin/bash
# A survey over the ranks of a Slurm job, by MPI: rank 0 hands out the texts and writes the file.
#
#   sbatch --ntasks=8 survey-mpi.sh TEXTS SURVEY.npz [OPTION...]
#
# Sent again after it was ended, it goes on where it was.
#SBATCH --job-name=survey

set -euo pipefail
texts=$1
output=$2
shift 2
exec srun --mpi=pmix attention-grid-mpi survey --texts "$texts" "$@" -o "$output"
