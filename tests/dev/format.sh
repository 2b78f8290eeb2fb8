#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# format [--check]: lays out the files of src and tests, or shows what would change.
source tests/dev/parts/common.sh

# Makes the source files that are listed in a file look as they should: clang-format, and then what it
# cannot do: the head of a function with one parameter a line, names in a column, asterisks beside them;
# _("...") without a space; a quark's name, which is no subtraction.
format_files ()
{
  # "_(" without a space is GNU's exception that clang-format does not know: a sign as wide stands in.
  xargs -a "$1" sed -E -i 's/(^|[^A-Za-z0-9_])_ ?\("/\1-("/g'
  xargs -a "$1" -P "$jobs" -n 16 clang-format -i
  xargs -a "$1" sed -E -i 's/-\("/_("/g; s/(^|[^A-Za-z0-9_])(N?_) \(/\1\2(/g'
  # shellcheck disable=SC2016
  xargs -a "$1" awk '
    function line_up(head,    i, n, part, type, stars, name, width, most, start, result) {
      start = substr(head, 1, index(head, " (") + 1)
      head = substr(head, length(start) + 1, length(head) - length(start) - 1)
      n = split(head, part, /, */)
      if (n < 2 || index(head, "("))
        return start head ")"
      for (i = 1; i <= n; i++) {
        match(part[i], /[A-Za-z_0-9]+(\[[^]]*\])*$/)
        name[i] = substr(part[i], RSTART)
        type[i] = substr(part[i], 1, RSTART - 1)
        match(type[i], /\**$/)
        stars[i] = substr(type[i], RSTART)
        type[i] = substr(type[i], 1, RSTART - 1)
        sub(/ +$/, "", type[i])
        if (length(type[i]) > width) width = length(type[i])
        if (length(stars[i]) > most) most = length(stars[i])
      }
      for (i = 1; i <= n; i++)
        result = result sprintf("%s%-*s%s%s", i == 1 ? start : sprintf(",\n%*s", length(start), ""),
                                width + 1 + most - length(stars[i]), type[i], stars[i], name[i])
      return result ")"
    }
    function flush_head() {
      if (head != "") print raw >out
      head = raw = ""
    }
    FNR == 1 { flush_head(); if (out != "") close(out); out = FILENAME ".formatted" }
    head != "" && /^\{/ && head ~ /\)$/ { print line_up(head) >out; head = raw = "" }
    head ~ /;$/ { flush_head() }
    head != "" && head !~ /\)$/ { raw = raw "\n" $0; sub(/^ +/, ""); head = head " " $0; next }
    { flush_head() }
    /^[a-z_][A-Za-z0-9_]* \(/ { head = raw = $0; next }
    { print >out }
    END { flush_head() }'
}

main ()
{
  local file status=0

  install_packages format
  has clang-format || die 'clang-format is needed'
  scratch=$(mktemp -d)
  find src tests -name '*.c' | sort >"$scratch/files"
  xargs -a "$scratch/files" sha1sum | sed 's/$/.formatted/' >"$scratch/sums"
  xargs -a "$scratch/files" cp --parents -t "$scratch" .clang-format
  (cd "$scratch" && format_files files)
  while IFS= read -r file; do
    if [[ ${1:-} == --check ]]; then
      diff -u --label "$file" --label "$file (formatted)" "$file" "$scratch/$file.formatted" ||
        status=1
    else
      cat "$scratch/$file.formatted" >"$file"
      printf '%s\n' "$file"
    fi
  done < <(cd "$scratch" && sha1sum --check --quiet sums 2>/dev/null | sed 's/\.formatted: .*//')
  return "$status"
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
