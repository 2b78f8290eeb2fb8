/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-blas.h"

#include <cblas.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-memory.h"

/* Function that sets the number of threads of the OpenMP with which OpenBLAS is built, as in
 * Debian's libopenblas0-openmp. %NULL if OpenBLAS has threads of its own. */
extern void omp_set_num_threads (int n_threads) __attribute__ ((weak));

/* Function that ends the threads of OpenBLAS; %NULL in an OpenBLAS that is built without
 * threads. */
extern int blas_thread_shutdown_ (void) __attribute__ ((weak));

/* Functions of an OpenBLAS with kernels for many processors: the first forgets the chosen
 * kernels, the second chooses by the environment. %NULL in an OpenBLAS that is built for a
 * single processor. */
extern void gotoblas_dynamic_quit (void) __attribute__ ((weak));
extern void gotoblas_dynamic_init (void) __attribute__ ((weak));

/* The environment variable that chooses OpenBLAS's kernels, such as "Haswell". */
#define KERNELS_VARIABLE "OPENBLAS_CORETYPE"

/* Address space in bytes for small blocks that are allocated during matrix products. */
#define ROOM ((gsize) 64 << 20)

#if defined(__x86_64__) && defined(__GNUC__)
static void choose_kernels (void) __attribute__ ((constructor));

/* Chooses OpenBLAS's kernels for a processor that it does not know. It would use those of a
 * Prescott of 2004, at a quarter of the speed or less, as 0.3.21 does on Emerald Rapids and Meteor
 * Lake. The choice follows the instructions that the processor has, unless the environment names
 * kernels. This is a constructor, since the environment must not be changed once there are threads;
 * the constructors of libraries have run before. */
static void
choose_kernels (void)
{
  __builtin_cpu_init ();
  if (gotoblas_dynamic_quit == NULL || gotoblas_dynamic_init == NULL ||
      g_getenv (KERNELS_VARIABLE) != NULL || strcmp (openblas_get_corename (), "Prescott") != 0 ||
      !__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma"))
    return;

  gboolean is_wide = __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512cd") &&
                     __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512dq") &&
                     __builtin_cpu_supports ("avx512vl");
  g_setenv (KERNELS_VARIABLE, is_wide ? "SkylakeX" : "Haswell", TRUE);
  gotoblas_dynamic_quit ();
  gotoblas_dynamic_init ();
  g_unsetenv (KERNELS_VARIABLE);
}
#endif

/**
 * attn_blas_init:
 *
 * Makes OpenBLAS compute in the thread that calls it, and ends the threads that it began with, one
 * for each processor but one: these would keep their processors busy waiting for work for their
 * first 25 ms. Has to run before the first product, and best when the program begins; any later
 * call does nothing.
 */
void
attn_blas_init (void)
{
  static gsize is_done;

  if (!g_once_init_enter (&is_done))
    return;
  /* The number of OpenBLAS's threads is set before they end, since setting it afterwards would
   * start them anew. */
  openblas_set_num_threads (1);
  if (blas_thread_shutdown_ != NULL)
    blas_thread_shutdown_ ();
  g_once_init_leave (&is_done, 1);
}

/**
 * attn_blas_get_max_callers:
 *
 * Returns: how many threads may multiply at the same time, at least 1: as many as OpenBLAS has
 *   memory for in the share of a limited address space that [func@attn_memory_check] leaves to it
 */
gsize
attn_blas_get_max_callers (void)
{
  return MAX (attn_memory_get_address_space () / ATTN_MEMORY_BLAS_SHARE / ATTN_BLAS_BUFFER, 1);
}

/**
 * attn_blas_check:
 * @n_callers: how many threads are about to multiply
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: whether there is enough address space for their products, if it is limited. What
 *   OpenBLAS has from earlier products is not counted, since it cannot be asked.
 */
gboolean
attn_blas_check (gsize    n_callers,
                 GError **error)
{
  return attn_memory_check_address_space (n_callers * ATTN_BLAS_BUFFER + ROOM, _("matrix products"),
                                          error);
}

/**
 * attn_blas_get_config:
 *
 * Returns: (transfer none): OpenBLAS's version, and how it was built
 */
const char *
attn_blas_get_config (void)
{
  return openblas_get_config ();
}

/**
 * attn_blas_get_kernels:
 *
 * Returns: (transfer none): the processor that OpenBLAS multiplies for, such as "Haswell": this
 *   one, the nearest that it knows, or that of the environment's OPENBLAS_CORETYPE
 */
const char *
attn_blas_get_kernels (void)
{
  return openblas_get_corename ();
}

/**
 * attn_blas_multiply:
 * @m: rows of @a and @c
 * @n: columns of @b and @c
 * @k: columns of @a, rows of @b
 * @alpha: factor of the product
 * @a: (m, k) after its transposition, if any
 * @b: (k, n) after its transposition, if any
 * @beta: 0 to overwrite @c, whatever it holds, or 1 to add to it
 * @c: (inout): (m, n), rows @c_stride floats apart
 * @c_stride: at least @n
 *
 * c = alpha a b + beta c. Every size and stride must fit an int, which the bounds on a
 * configuration see to. Any thread may call.
 */
void
attn_blas_multiply (gsize       m,
                    gsize       n,
                    gsize       k,
                    float       alpha,
                    AttnMatrix  a,
                    AttnMatrix  b,
                    float       beta,
                    float      *c,
                    gsize       c_stride)
{
  static _Thread_local gboolean is_alone;

  g_return_if_fail (m <= G_MAXINT && n <= G_MAXINT && k <= G_MAXINT);
  g_return_if_fail (a.stride >= (a.is_transposed ? m : k) && a.stride <= G_MAXINT);
  g_return_if_fail (b.stride >= (b.is_transposed ? k : n) && b.stride <= G_MAXINT);
  g_return_if_fail (c_stride >= n && c_stride <= G_MAXINT);

  /* OpenMP keeps the number of threads for each calling thread, so attn_blas_init() cannot set it
   * for all. */
  if (!is_alone && omp_set_num_threads != NULL)
    omp_set_num_threads (1);
  is_alone = TRUE;
  /* One row is multiplied as a vector: packing the matrix, as the general product does, would take
   * longer than the product itself. */
  if (m == 1 && !a.is_transposed)
    {
      if (beta == 0.0f)
        memset (c, 0, n * sizeof *c);
      cblas_sgemv (CblasRowMajor, b.is_transposed ? CblasNoTrans : CblasTrans,
                   (int) (b.is_transposed ? n : k), (int) (b.is_transposed ? k : n), alpha, b.data,
                   (int) b.stride, a.data, 1, 1.0f, c, 1);
      return;
    }
  cblas_sgemm (CblasRowMajor, a.is_transposed ? CblasTrans : CblasNoTrans,
               b.is_transposed ? CblasTrans : CblasNoTrans, (int) m, (int) n, (int) k, alpha,
               a.data, (int) a.stride, b.data, (int) b.stride, beta, c, (int) c_stride);
}
