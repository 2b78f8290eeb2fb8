/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a signal says where in a mapping the file has ended: QEMU's s390x (7.2 and 10.0) gives
 * another address, with which no program can tell whose mapping it was. */

#pragma once

#include <glib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf bus_error_return;
static void *volatile bus_error_address;

static inline void
take_bus_error (int        number,
                siginfo_t *info,
                void      *context)
{
  bus_error_address = info->si_addr;
  siglongjmp (bus_error_return, 1);
}

/* Skips the test where they do not. Returns: whether it did. */
static inline gboolean
skip_without_bus_error_addresses (void)
{
  struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = take_bus_error }, before;
  gsize n_bytes = (gsize) sysconf (_SC_PAGESIZE);
  FILE *empty = tmpfile ();
  volatile const char *start =
      mmap (NULL, n_bytes, PROT_READ, MAP_PRIVATE, empty != NULL ? fileno (empty) : -1, 0);

  g_assert_true (start != MAP_FAILED);
  sigaction (SIGBUS, &action, &before);
  if (sigsetjmp (bus_error_return, 1) == 0)
    (void) *start;
  sigaction (SIGBUS, &before, NULL);
  munmap ((void *) start, n_bytes);
  fclose (empty);
  if (bus_error_address == start)
    return FALSE;
  g_test_skip ("a signal does not say where a file has ended");
  return TRUE;
}
