/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rules of a quantized model's configuration for single modules. */

#include "config.h"

#include "attn-scheme-rules.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

/* The most regular expressions of a file, and the most steps of matching a name. A file that is not
 * trusted could otherwise keep the program busy without end. */
#define MAX_PATTERNS 1024
#define LIMIT_STEPS  "(*LIMIT_MATCH=10000)"

typedef struct
{
  GRegex *regex;
  char *text;
  AttnQuantization *own;
} Pattern;

/* Settings of the quantization of modules, by the module's name or by a regular expression that
 * fits it. */
typedef struct
{
  GHashTable *names;
  GPtrArray *patterns;
} Shelf;

/* @plain: rules for modules that are not quantized, which are searched first; @own: rules for
 * modules with their own settings */
struct _AttnSchemeRules
{
  Shelf plain;
  Shelf own;
  gboolean is_whole;
  char *where;
};

static void
free_pattern (gpointer pattern)
{
  Pattern *self = pattern;

  g_clear_pointer (&self->regex, g_regex_unref);
  g_free (self->text);
  g_free (self->own);
  g_free (self);
}

static Shelf
new_shelf (void)
{
  return (Shelf) { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                   g_ptr_array_new_with_free_func (free_pattern) };
}

/**
 * attn_scheme_rules_new:
 * @where: name of the file, with which messages begin
 *
 * Returns: (transfer full): an empty list of rules
 */
AttnSchemeRules *
attn_scheme_rules_new (const char *where)
{
  AttnSchemeRules *rules = g_new0 (AttnSchemeRules, 1);

  rules->plain = new_shelf ();
  rules->own = new_shelf ();
  rules->where = g_strdup (where);
  return rules;
}

void
attn_scheme_rules_free (AttnSchemeRules *rules)
{
  Shelf *shelves[] = { &rules->plain, &rules->own };

  for (gsize i = 0; i < G_N_ELEMENTS (shelves); i++)
    {
      g_hash_table_unref (shelves[i]->names);
      g_ptr_array_unref (shelves[i]->patterns);
    }
  g_free (rules->where);
  g_free (rules);
}

/* Copies the settings of a module without @rules, which only the settings of the whole
 * configuration own. */
static AttnQuantization *
copy (const AttnQuantization *own)
{
  AttnQuantization *copied = own != NULL ? g_memdup2 (own, sizeof *own) : NULL;

  if (copied != NULL)
    copied->rules = NULL;
  return copied;
}

/**
 * attn_scheme_rules_add_name:
 * @module: the whole name of the module; if a module has several rules, the last one counts
 * @own: (nullable): how its matrix is stored, %NULL for a matrix that is not quantized
 */
void
attn_scheme_rules_add_name (AttnSchemeRules        *rules,
                            const char             *module,
                            const AttnQuantization *own)
{
  Shelf *shelf = own != NULL ? &rules->own : &rules->plain;

  g_hash_table_insert (shelf->names, g_strdup (module), copy (own));
}

/**
 * attn_scheme_rules_add_pattern:
 * @pattern: a regular expression, which has to fit a module's name from its beginning on; if
 *   several fit, the first one counts
 * @own: (nullable): as for attn_scheme_rules_add_name()
 * @json: gets the error: %ATTN_ERROR_FORMAT for a @pattern that is no regular expression,
 *   %ATTN_ERROR_LIMIT for too many patterns
 */
void
attn_scheme_rules_add_pattern (AttnSchemeRules        *rules,
                               const char             *pattern,
                               const AttnQuantization *own,
                               AttnJsonReader         *json)
{
  GPtrArray *patterns = own != NULL ? rules->own.patterns : rules->plain.patterns;
  g_autofree char *bounded = g_strconcat (LIMIT_STEPS, pattern, NULL);
  GRegex *regex;

  if (patterns->len >= MAX_PATTERNS)
    {
      attn_json_fail (json, ATTN_ERROR_LIMIT,
                      _("%s: more than %d regular expressions found, expected fewer"),
                      json->where, MAX_PATTERNS);
      return;
    }
  regex = g_regex_new (bounded, G_REGEX_ANCHORED, 0, NULL);
  if (regex == NULL)
    {
      attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: “%s” found, expected a regular expression"),
                      json->where, pattern);
      return;
    }
  Pattern *added = g_new0 (Pattern, 1);
  *added = (Pattern) { regex, g_strdup (pattern), copy (own) };
  g_ptr_array_add (patterns, added);
}

/**
 * attn_scheme_rules_end:
 *
 * Counts modules that no rule fits as not quantized.
 */
void
attn_scheme_rules_end (AttnSchemeRules *rules)
{
  rules->is_whole = TRUE;
}

static gboolean
find (const Shelf             *shelf,
      const char              *where,
      const char              *module,
      gboolean                *is_found,
      const AttnQuantization **own,
      GError                 **error)
{
  gpointer value;

  *is_found = g_hash_table_lookup_extended (shelf->names, module, NULL, &value);
  if (*is_found)
    *own = value;
  for (guint i = 0; i < shelf->patterns->len && !*is_found; i++)
    {
      const Pattern *pattern = g_ptr_array_index (shelf->patterns, i);
      g_autoptr (GError) own_error = NULL;

      *is_found =
          g_regex_match_full (pattern->regex, module, -1, 0, 0, NULL, &own_error);
      if (own_error != NULL)
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("%s: “%s” found, expected a regular expression of fewer steps"),
                          where, pattern->text);
      if (*is_found)
        *own = pattern->own;
    }
  return TRUE;
}

/**
 * attn_scheme_rules_choose:
 * @module: the name of a matrix without its end “.weight”
 * @own: (out) (nullable): how the matrix is stored, %NULL if a rule says that it is not quantized
 * @error: return location for %ATTN_ERROR_LIMIT for a regular expression that takes too many steps
 */
gboolean
attn_scheme_rules_choose (const AttnQuantization  *quantization,
                          const char              *module,
                          const AttnQuantization **own,
                          GError                 **error)
{
  const AttnSchemeRules *rules = quantization->rules;
  gboolean is_found;

  *own = quantization;
  if (rules == NULL)
    return TRUE;
  if (!find (&rules->plain, rules->where, module, &is_found, own, error))
    return FALSE;
  if (is_found)
    return TRUE;
  if (!find (&rules->own, rules->where, module, &is_found, own, error))
    return FALSE;
  if (!is_found && rules->is_whole)
    *own = NULL;
  return TRUE;
}
