#!/bin/bash
# A survey as a Slurm job array: each task counts a part of the texts, with no MPI.
#
#   sbatch --array=0-6 survey-array.sh TEXTS FOLDER [OPTION...]
#
# and when all tasks have ended
#
#   attention-grid survey merge FOLDER/part-*.npz -o survey.npz
#
# A task that is started again goes on where it was.
#SBATCH --job-name=survey
#SBATCH --ntasks=1

set -euo pipefail
texts=$1
folder=$2
shift 2
mkdir -p "$folder"
# Which part is this task's is read from SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT.
exec attention-grid survey --texts "$texts" "$@" -o "$folder/part-$SLURM_ARRAY_TASK_ID.npz"
