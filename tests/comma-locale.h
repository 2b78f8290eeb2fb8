/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A locale in which numbers have a comma, for what must not depend on the locale. */

#pragma once

#include <glib.h>
#include <locale.h>

G_BEGIN_DECLS

/* Goes into such a locale, which the caller leaves by setlocale (LC_NUMERIC, "C"); skips the test
 * and returns FALSE where none is installed. */
static inline gboolean
enter_comma_locale (void)
{
  static const char * const locales[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                          "es_ES.UTF-8" };

  for (gsize i = 0; i < G_N_ELEMENTS (locales); i++)
    if (setlocale (LC_NUMERIC, locales[i]) != NULL)
      return TRUE;
  g_test_skip ("no locale with a decimal comma is installed");
  return FALSE;
}

G_END_DECLS
