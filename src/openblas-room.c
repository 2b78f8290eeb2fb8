/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checks that OpenBLAS can be loaded in a limited address space (`ulimit -v`). From version 0.3.22
 * on OpenBLAS maps a buffer for each of its threads while it is loaded, before main(), and where
 * the memory is refused it asks again for ever. Functions in .preinit_array run before the code of
 * any library, so that nothing but the C library can be used in this file, and its message is not
 * translated. */

#include "config.h"

#if ATTN_OPENBLAS_MAPS_WHEN_LOADED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attn-blas.h"

/* The bytes of address space that libraries other than OpenBLAS need. */
#define ROOM ((gsize) 16 << 20)

/* Returns the number of threads that OpenBLAS begins with: the number in the environment, but at
 * most one for each processor. */
static gsize
count_threads (char **environment)
{
  static const char * const names[] = { "OPENBLAS_NUM_THREADS=", "GOTO_NUM_THREADS=",
                                        "OMP_NUM_THREADS=" };
  long n = MAX (sysconf (_SC_NPROCESSORS_ONLN), 1);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    for (char **variable = environment; *variable != NULL; variable++)
      if (strncmp (*variable, names[i], strlen (names[i])) == 0)
        {
          long wanted = strtol (*variable + strlen (names[i]), NULL, 10);

          if (wanted > 0)
            return (gsize) MIN (wanted, n);
        }
  return (gsize) n;
}

static void
check_room (int    argc,
            char **argv,
            char **environment)
{
  gsize n_bytes = count_threads (environment) * ATTN_BLAS_BUFFER + ROOM;
  struct rlimit limit;

  if (getrlimit (RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return;
  void *room = mmap (NULL, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED)
    {
      munmap (room, n_bytes);
      return;
    }
  dprintf (STDERR_FILENO,
           "attention-grid: matrix products: %.1f\302\240MB of address space needed by OpenBLAS, "
           "expected less than the limit of %.1f\302\240MB (ulimit -v); OPENBLAS_NUM_THREADS=1 "
           "needs the least\n",
           n_bytes / 1e6, limit.rlim_cur / 1e6);
  _exit (EXIT_FAILURE);
}

__attribute__ ((section (".preinit_array"), used)) static void (* const before_libraries) (
    int, char **, char **) = check_room;

#endif
