/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Global functions of a template: those of Jinja and those that transformers adds. */

#include "config.h"

#include "attn-jinja-library.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The largest number of items of range() in a template, as in Jinja's sandbox. */
#define MAX_RANGE 100000

ATTN_JINJA_APPLY (make_range)
{
  gint64 ends[] = { 0, 0, 1 };
  AttnJinjaValue range = attn_jinja_list (run, ATTN_JINJA_FORM_RANGE);

  for (gsize i = 0; i < G_N_ELEMENTS (ends) && arguments[i].type != ATTN_JINJA_ABSENT; i++)
    if (!attn_jinja_get_integer (arguments[i], &ends[i]))
      return attn_jinja_fail_type (run, arguments[i], "range");
  if (arguments[1].type == ATTN_JINJA_ABSENT)
    {
      ends[1] = ends[0];
      ends[0] = 0;
    }
  if (ends[2] == 0)
    return attn_jinja_fail_type (run, arguments[2], "range");
  for (gint64 at = ends[0]; ends[2] > 0 ? at < ends[1] : at > ends[1];)
    {
      if (range.list->n_items == MAX_RANGE)
        return attn_jinja_fail (run, ATTN_ERROR_LIMIT,
                                _("a range of more than %d numbers found"), MAX_RANGE);
      attn_jinja_list_add (run, range.list, attn_jinja_integer (at));
      if (run->error != NULL || __builtin_add_overflow (at, ends[2], &at))
        break;
    }
  return range;
}

/* Fills a map with the items of other maps, with pairs of key and value, and with the named
 * arguments of the call. */
static AttnJinjaValue
fill_map (AttnJinjaRun        *run,
          AttnJinjaValue       made,
          const char          *name,
          const AttnJinjaCall *call)
{
  for (gsize i = 0; i < call->values->n_items && run->error == NULL; i++)
    {
      AttnJinjaValue value = call->values->items[i];

      if (attn_jinja_is (value, ATTN_JINJA_MAP))
        for (gsize j = 0; j < value.map->n_items; j++)
          attn_jinja_map_set (run, made.map, value.map->keys[j], value.map->values[j]);
      else
        {
          const AttnJinjaList *pairs = attn_jinja_walk (run, value);

          for (gsize j = 0; j < pairs->n_items && run->error == NULL; j++)
            {
              const AttnJinjaList *pair = attn_jinja_walk (run, pairs->items[j]);

              if (pair->n_items != 2)
                return attn_jinja_fail_type (run, pairs->items[j], name);
              attn_jinja_map_set (run, made.map, pair->items[0], pair->items[1]);
            }
        }
    }
  for (gsize i = 0; i < call->named->n_items; i++)
    attn_jinja_map_set (run, made.map, call->named->keys[i], call->named->values[i]);
  return made;
}

ATTN_JINJA_APPLY (make_map)
{
  return fill_map (run, attn_jinja_map (run, ATTN_JINJA_MAP), "dict", call);
}

ATTN_JINJA_APPLY (make_namespace)
{
  return fill_map (run, attn_jinja_map (run, ATTN_JINJA_NAMESPACE), "namespace", call);
}

ATTN_JINJA_APPLY (raise_exception)
{
  return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED, _("the template refuses: %s"),
                          attn_jinja_to_text (run, arguments[0]));
}

/* Formats the time of the run as strftime() does in the C locale, with English names. */
ATTN_JINJA_APPLY (write_time)
{
  static const char * const days[] = { "Monday", "Tuesday", "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday" };
  static const char * const months[] = { "January", "February", "March", "April",
                                         "May", "June", "July", "August",
                                         "September", "October", "November", "December" };
  const char *day = days[g_date_time_get_day_of_week (run->now) - 1];
  const char *month = months[g_date_time_get_month (run->now) - 1];
  g_autoptr (GString) text = g_string_new (NULL);

  if (!attn_jinja_is (arguments[0], ATTN_JINJA_STRING))
    return attn_jinja_fail_type (run, arguments[0], "strftime_now");
  for (const char *at = arguments[0].text; *at != '\0'; at++)
    {
      gboolean is_short = *at == '%' && at[1] == '-';
      char specifier[] = { '%', is_short ? '-' : at[*at == '%'], '\0', '\0' };
      g_autofree char *written = NULL;

      if (*at != '%')
        {
          g_string_append_c (text, *at);
          continue;
        }
      at += 1 + is_short;
      if (is_short)
        specifier[2] = *at;
      if (*at == 'A' || *at == 'a')
        g_string_append_len (text, day, *at == 'A' ? -1 : 3);
      else if (*at == 'B' || *at == 'b' || *at == 'h')
        g_string_append_len (text, month, *at == 'B' ? -1 : 3);
      else if (*at == 'p')
        g_string_append (text, g_date_time_get_hour (run->now) < 12 ? "AM" : "PM");
      else if (*at != '\0' && strchr ("YCyGgVumdHIMSjFTRDzZs%nt", *at) != NULL &&
               (written = g_date_time_format (run->now, specifier)) != NULL)
        g_string_append (text, written);
      else
        return attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                                _("%s in a format of time found, which is not known here"),
                                specifier);
    }
  return attn_jinja_copy_text (run, text->str, text->len);
}

static const AttnJinjaRow functions[] = {
  { "range", make_range, 1, { "start", "stop", "step" } },
  { "dict", make_map, 0, { "*" } },
  { "namespace", make_namespace, 0, { "*" } },
  { "raise_exception", raise_exception, 1, { "message" } },
  { "strftime_now", write_time, 1, { "format" } },
};

/* Returns the row of the table of functions with the given name, or NULL */
const AttnJinjaRow *
attn_jinja_find_function (const char *name)
{
  return attn_jinja_find_row (functions, G_N_ELEMENTS (functions), name);
}
