#!/bin/sh
# Files of 12 GB in a process limited to 1 GB: fits, an interrupted fit, an evaluation and a
# comparison finish, within the limit. Takes an hour or two on two cores.
#
#   bench/larger_than_memory.sh PROGRAM FOLDER [ROWS] [KILOBYTES]
#
# FOLDER gets logits.npy and votes.npy (bench/generate_rows.py; needs NumPy) unless they are there.
set -eu
program=$(realpath "$1")
folder=$2
rows=${3:-240000000}
limit=${4:-1000000}
here=$(dirname "$(realpath "$0")")
[ -f "$folder/votes.npy" ] || "${PYTHON:-python3}" "$here/generate_rows.py" "$folder" --rows "$rows"
cd "$folder"
data="--logits logits.npy --votes votes.npy"

limited() {
  (
    ulimit -v "$limit"
    /usr/bin/time -f "%U s user, %e s, peak %M KB: $*" "$program" "$@"
  )
}

# shellcheck disable=SC2086  # $data is several words
{
  limited fit -m slts $data -o slts.json
  limited fit -m dirichlet-soft $data -o whole.json
  # Interrupted in the middle, then continued: the same bytes. The state is replaced after every
  # pass, of which there are about ten.
  rm -f fit.state
  "$program" fit -m dirichlet-soft $data --checkpoint fit.state -o resumed.json &
  fit=$!
  passes=0 last=none
  while [ "$passes" -lt 5 ]; do
    sleep 1
    now=$(stat -c %i.%Y fit.state 2>/dev/null || echo none)
    [ "$now" = "$last" ] || passes=$((passes + 1))
    last=$now
  done
  kill -9 "$fit"
  wait "$fit" || true
  limited fit -m dirichlet-soft $data --checkpoint fit.state -o resumed.json
  cmp whole.json resumed.json
  limited evaluate slts.json $data --draws 100
  limited compare $data --methods ts,slts,dirichlet-soft --resamples 0 -o comparison
}
