/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Defines functions that are compiled several times, once for each width of the processor's vector
 * registers. The widest copy that the processor runs is called. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnClone:
 * @ATTN_CLONE_PLAIN: the registers that every processor of the architecture has: SSE2, NEON
 * @ATTN_CLONE_AVX2: 256 bits, with fused multiplications and additions (FMA)
 * @ATTN_CLONE_AVX512: 512 bits
 *
 * Copies of a function by the vector registers that they are compiled for, from the narrowest to
 * the widest.
 */
typedef enum
{
  ATTN_CLONE_PLAIN,
  ATTN_CLONE_AVX2,
  ATTN_CLONE_AVX512,
} AttnClone;

AttnClone   attn_clones_get      (void);
const char *attn_clones_get_name (void);
gboolean    attn_clones_check    (GError **error);

/* ATTN_CLONES (STORAGE, TYPE, NAME, (PARAMETERS), (ARGUMENTS)) { ... } defines a function, "static"
 * or "extern", with a copy for each width of register. The copy is chosen at each call. The
 * compiler's attribute "target_clones" would leave the choice to the loader. C libraries other than
 * glibc, clang before 18 and the thread sanitizer do not support that, and no setting can influence
 * the choice. Functions that the function calls are compiled into each copy if their definitions
 * are known. */
#if defined(__x86_64__) && defined(__GNUC__)
#define ATTN_CLONES(storage, type, name, parameters, arguments)                                 \
  static inline __attribute__ ((always_inline)) type name##_body parameters;                    \
  static __attribute__ ((target ("avx512f"), flatten)) type name##_avx512 parameters            \
  {                                                                                             \
    return name##_body arguments;                                                               \
  }                                                                                             \
  static __attribute__ ((target ("avx2,fma"), flatten)) type name##_avx2 parameters             \
  {                                                                                             \
    return name##_body arguments;                                                               \
  }                                                                                             \
  static __attribute__ ((flatten, noinline)) type name##_plain parameters                       \
  {                                                                                             \
    return name##_body arguments;                                                               \
  }                                                                                             \
  storage type name parameters                                                                  \
  {                                                                                             \
    switch (attn_clones_get ())                                                                 \
      {                                                                                         \
      case ATTN_CLONE_AVX512:                                                                   \
        return name##_avx512 arguments;                                                         \
      case ATTN_CLONE_AVX2:                                                                     \
        return name##_avx2 arguments;                                                           \
      case ATTN_CLONE_PLAIN:                                                                    \
      default:                                                                                  \
        return name##_plain arguments;                                                          \
      }                                                                                         \
  }                                                                                             \
  static inline type name##_body parameters
#else
#define ATTN_CLONES(storage, type, name, parameters, arguments) storage type name parameters
#endif

G_END_DECLS
