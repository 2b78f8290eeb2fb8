/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a loop is written for the compiler's vectors, whatever processor it will run on. */

#pragma once

#include <glib.h>

/* One copy of a function for every width of vector register, chosen when the program starts, which
 * is before the thread sanitizer can watch. Before clang 18 the name of such a function was unknown
 * to other files (LLVM issue 71706): there the one copy for every processor has to do. */
#if defined(__x86_64__) && defined(__GLIBC__) && __has_attribute(target_clones) && \
    !defined(__SANITIZE_THREAD__) && !(defined(__clang__) && __clang_major__ < 18)
#define ATTN_CLONES __attribute__ ((target_clones ("avx512f", "avx2", "default")))
#else
#define ATTN_CLONES
#endif
