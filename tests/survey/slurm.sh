#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slurm.sh PROGRAM MPI-PROGRAM EXAMPLES: the batch scripts that are shipped, run by a real Slurm on this
# machine. It has to be configured in /etc, so that it is started only by root where CI is set and where
# nobody has configured one. Prints TAP.
set -euo pipefail

program=$(realpath "$1") mpi_program=$(realpath "$2") examples=$3

skip ()
{
  echo "1..0 # SKIP $1"
  exit 0
}

for tool in slurmctld slurmd sbatch munged; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
[[ ${CI:-} == true && $EUID -eq 0 ]] || skip 'a Slurm is configured and started for this only by root where CI=true'
[[ ! -e /etc/slurm/slurm.conf ]] || skip 'this machine has a Slurm of its own'

folder=$(mktemp -d)
mkdir -p /etc/slurm
clean_up ()
{
  for name in slurmd slurmctld munged; do
    [[ -f $folder/$name.pid ]] || continue
    pid=$(cat "$folder/$name.pid")
    kill "$pid" 2>/dev/null || true
    for _ in {1..50}; do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  done
  rm -rf /etc/slurm/slurm.conf /etc/slurm/cgroup.conf "$folder"
}
trap clean_up EXIT

# Slurm's name for this machine; nothing else has to know it.
host=$(hostname -s)
cat >/etc/slurm/slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000
PartitionName=all Nodes=$host Default=YES State=UP OverSubscribe=YES
END
# A newer one does not start without control groups unless it is told to.
version=$(slurmd -V) # "slurm-wlm 22.05.8", "slurm 24.11.5"
version=${version##* }
if ((${version%%.*} >= 24)); then
  echo 'CgroupPlugin=disabled' >/etc/slurm/cgroup.conf
else
  printf 'CgroupAutomount=no\nConstrainCores=no\n' >/etc/slurm/cgroup.conf
fi
mkdir -p "$folder/state" "$folder/spool" "$folder/bin"
ln -s "$program" "$folder/bin/attention-grid"
ln -s "$mpi_program" "$folder/bin/attention-grid-mpi"
export PATH=$folder/bin:$PATH

install -d -o munge -g munge -m 755 /run/munge
chmod 755 "$folder"
if ! pgrep -x munged >/dev/null; then
  runuser -u munge -- munged --pid-file=/run/munge/munged.pid
  cp /run/munge/munged.pid "$folder/munged.pid"
fi
slurmctld
slurmd
for _ in {1..60}; do
  [[ $(sinfo --noheader --format=%t 2>/dev/null) != idle ]] || break
  sleep 0.5
done
[[ $(sinfo --noheader --format=%t 2>/dev/null) == idle ]] || skip 'Slurm does not start on this machine'

texts=$folder/texts.txt
for i in {1..200}; do
  echo "Text $i: the capital of France is Paris, and what is the capital of Italy?"
done >"$texts"
options=(--mean key --statistic sink,entropy)
"$program" survey --texts "$texts" "${options[@]}" -o "$folder/expected.npz"

echo 1..2
bad=0
# report NUMBER NAME FILE
report ()
{
  if cmp -s "$3" "$folder/expected.npz"; then
    echo "ok $1 - $2"
  else
    bad=1
    echo "not ok $1 - $2"
    cat "$folder"/*.log "$folder"/*.out 2>/dev/null | tail -40 >&2
  fi
}

sbatch --quiet --wait --array=0-2 --output="$folder/array-%a.out" "$examples/survey-array.sh" \
  "$texts" "$folder/parts" "${options[@]}" || true
"$program" survey merge "$folder"/parts/part-*.npz -o "$folder/array.npz" || true
report 1 'job array' "$folder/array.npz"

# Debian's Slurm 26 was built without PMIx, which is how OpenMPI's ranks find each other.
if [[ $(srun --mpi=list 2>&1) == *pmix* ]]; then
  sbatch --quiet --wait --ntasks=2 --output="$folder/mpi.out" "$examples/survey-mpi.sh" \
    "$texts" "$folder/mpi.npz" "${options[@]}" || true
  report 2 'ranks of MPI' "$folder/mpi.npz"
else
  echo 'ok 2 - ranks of MPI # SKIP this Slurm knows no PMIx'
fi
exit $bad
