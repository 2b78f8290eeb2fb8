/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-clones.h"

#include <glib/gi18n-lib.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include "attn-error.h"

/* The environment variable that chooses the copy of each vectorized function: "plain", "avx2" or
 * "avx512". With it, different processors give the same bytes, and each copy can be tested and
 * timed. */
#define VARIABLE "ATTENTION_GRID_CLONE"

static const char * const names[] = {
  [ATTN_CLONE_PLAIN] = "plain",
  [ATTN_CLONE_AVX2] = "avx2",
  [ATTN_CLONE_AVX512] = "avx512",
};

#if defined(__x86_64__) && defined(__GNUC__)
/* Tells whether the processor has instructions that convert 16-bit floats (F16C). The processor is
 * asked directly, since not all compilers have a built-in function for that. */
static gboolean
has_halves (void)
{
  unsigned int a, b, c, d;

  return __get_cpuid (1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}
#endif

static AttnClone
find_widest (void)
{
#if defined(__x86_64__) && defined(__GNUC__)
  if (!has_halves ())
    return ATTN_CLONE_PLAIN;
  if (__builtin_cpu_supports ("avx512f"))
    return ATTN_CLONE_AVX512;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return ATTN_CLONE_AVX2;
#endif
  return ATTN_CLONE_PLAIN;
}

/* Returns the AttnClone (the width of vector registers) with the given name, such as "avx2", or -1
 * if none has it. */
static int
find_named (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      return (int) i;
  return -1;
}

static AttnClone
choose (void)
{
  const char *name = g_getenv (VARIABLE);
  AttnClone widest = find_widest ();
  int named = name != NULL ? find_named (name) : -1;

  return named >= 0 && (AttnClone) named <= widest ? (AttnClone) named : widest;
}

/**
 * attn_clones_get:
 *
 * Tells which copy of each vectorized function is called. Any thread may call; the answer stays the
 * same as long as the program runs.
 *
 * Returns: the copy that the environment variable ATTENTION_GRID_CLONE names, if this processor
 *   runs it; otherwise the one with the widest registers that it runs
 */
AttnClone
attn_clones_get (void)
{
  static int chosen = -1;
  int clone = g_atomic_int_get (&chosen);

  if (clone < 0)
    {
      clone = (int) choose ();
      g_atomic_int_set (&chosen, clone);
    }
  return (AttnClone) clone;
}

/**
 * attn_clones_get_name:
 *
 * Returns: the name of the copy that is called: "plain", "avx2" or "avx512"
 */
const char *
attn_clones_get_name (void)
{
  return names[attn_clones_get ()];
}

/**
 * attn_clones_check:
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: whether the environment variable ATTENTION_GRID_CLONE is not set, or names a copy that
 *   exists and that this processor runs
 */
gboolean
attn_clones_check (GError **error)
{
  const char *name = g_getenv (VARIABLE);
  g_autoptr (GString) known = g_string_new (names[ATTN_CLONE_PLAIN]);
  gsize n_known = (gsize) find_widest () + 1;

  if (name == NULL || (find_named (name) >= 0 && (gsize) find_named (name) < n_known))
    return TRUE;
  for (gsize i = 1; i < n_known; i++)
    g_string_append_printf (known, ", %s", names[i]);
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: “%s” found, expected %s"), VARIABLE, name,
                    known->str);
}
