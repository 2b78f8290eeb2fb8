/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A target for libFuzzer: FUZZ_TARGET is its name. */

#include "fuzz-targets.h"

int LLVMFuzzerTestOneInput (const guint8 *data,
                            gsize size);

int
LLVMFuzzerTestOneInput (const guint8 *data,
                        gsize size)
{
  static const FuzzTarget *target;

  if (target == NULL)
    target = fuzz_find_target (FUZZ_TARGET);
  target->run (data, size);
  return 0;
}
