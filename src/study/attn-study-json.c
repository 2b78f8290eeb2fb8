/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study as JSON. Strict: a member that is not known is refused by name, since a typing error
 * that is passed over would be a wrong picture that nobody notices. A member that is missing has
 * the value of attn_study_new().
 *
 *   { "version": 1,
 *     "preset": "epsilon",
 *     "model": { "path": "/models/gpt2", "fingerprint": "..." },
 *     "inputs": [ { "text": "A rose is a rose", "tokens": 10 }, { "ids": [2, 17, 5] } ],
 *     "special-tokens": true,
 *     "layer": 3 or "strongest-sink",
 *     "head": 7, "strongest-sink" or "mean",
 *     "rows": "none", "input", "component" or "epsilon",  "columns": the same,
 *     "operation": "mean" or "scale",
 *     "components": ["query", "key", "value"],
 *     "axis": "feature",  "site": "projection",
 *     "epsilons": [0.5, 0.001],
 *     "scope": { "layers": "shown", "all" or "0,2-4",  "heads": "all",  "tokens": "all" },
 *     "extra-interventions": [
 *       { "component": "key", "operation": "scale", "factor": 0.5, "axis": "feature",
 *         "site": "projection", "layers": "1", "heads": "all", "tokens": "all" } ],
 *     "title": "...",  "caption": "...",
 *     "style": { "colormap": "coolwarm", "low": 0, "high": 1, "tick": 0.2, ... } }
 */

#include "config.h"

#include "attn-study-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json.h"
#include "attn-map.h"
#include "attn-save.h"
#include "attn-study-fields.h"

/* More than any figure has: bounds what a file can make the program do. */
#define MAX_INPUTS        1024
#define MAX_EPSILONS      1024
#define MAX_INTERVENTIONS 1024
#define MAX_INDEX         ((gsize) G_MAXINT32 - 1)

static const char * const study_members[] = {
  "version", "preset", "model", "inputs", "special-tokens", "layer", "head", "rows", "columns",
  "operation", "components", "axis", "site", "epsilons", "scope", "extra-interventions", "title",
  "caption", "style", NULL
};
static const char * const model_members[] = { "path", "fingerprint", NULL };
static const char * const input_members[] = { "text", "ids", "tokens", NULL };
static const char * const scope_members[] = { "layers", "heads", "tokens", NULL };
static const char * const intervention_members[] = {
  "component", "operation", "axis", "factor", "site", "layers", "heads", "tokens", NULL
};
static const char * const style_members[] = {
  "colormap", "low", "high", "tick", "font", "font-size", "digits", "foreground", "background",
  "has-background", "shows-titles", "shows-caption", "shows-colorbar", "shows-tokens",
  "shows-values", NULL
};

/* The parsers have enumerations of their own; these give them one signature. */
#define DEFINE_PARSE(name, Type)                     \
  static gboolean                                    \
      parse_##name (const char *text,                \
                    int *value,                      \
                    GError **error)                  \
  {                                                  \
    Type choice;                                     \
    if (!attn_##name##_parse (text, &choice, error)) \
      return FALSE;                                  \
    *value = choice;                                 \
    return TRUE;                                     \
  }

DEFINE_PARSE (component, AttnComponent)
DEFINE_PARSE (operation, AttnOperation)
DEFINE_PARSE (axis, AttnAxis)
DEFINE_PARSE (site, AttnSite)
DEFINE_PARSE (colormap, AttnColormap)
DEFINE_PARSE (dimension, AttnDimension)

static AttnInput *
read_ids (JsonArray   *array,
          const char  *where,
          gsize        n_tokens,
          GError     **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gint64 number =
          json_node_get_value_type (node) == G_TYPE_INT64 ? json_node_get_int (node) : -1;
      guint32 id = number;

      if (number < 0 || number > G_MAXUINT32)
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                       _("%s: “ids”: element %u is no token id, expected integers from 0"), where,
                       i);
          return NULL;
        }
      g_array_append_val (ids, id);
    }
  return attn_input_new_ids ((const guint32 *) ids->data, ids->len, n_tokens);
}

static AttnInput *
read_input (JsonObject  *object,
            const char  *where,
            GError     **error)
{
  const char *text;
  JsonArray *ids;
  gsize n_tokens;

  if (!attn_fields_check_members (object, where, input_members, error) ||
      !attn_json_get_string (object, where, "text", NULL, &text, error) ||
      !attn_json_get_array (object, where, "ids", &ids, error) ||
      !attn_json_get_size (object, where, "tokens", 0, MAX_INDEX, 0, &n_tokens, error))
    return NULL;
  if ((text == NULL) == (ids == NULL))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   text == NULL ? _("%s: neither “text” nor “ids” found, expected one of them")
                                : _("%s: both “text” and “ids” found, expected one of them"),
                   where);
      return NULL;
    }
  return text != NULL ? attn_input_new_text (text, n_tokens)
                      : read_ids (ids, where, n_tokens, error);
}

/* The objects of an array, one after the other, each with its own place in the message. */
typedef gpointer (*ReadFunc) (JsonObject *object,
                              const char *where,
                              GError **error);

static gboolean
read_objects (JsonObject  *object,
              const char  *where,
              const char  *member,
              guint        maximum,
              ReadFunc     read,
              GPtrArray   *list,
              GError     **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, member, &array, error))
    return FALSE;
  if (array != NULL && json_array_get_length (array) > maximum)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                   _("%s: “%s”: %u elements found, expected at most %u"), where, member,
                   json_array_get_length (array), maximum);
      return FALSE;
    }
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autofree char *place = g_strdup_printf ("%s: “%s”[%u]", where, member, i);

      if (!JSON_NODE_HOLDS_OBJECT (node))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT, _("%s: %s found, expected an object"),
                       place, json_node_type_name (node));
          return FALSE;
        }
      gpointer element = read (json_node_get_object (node), place, error);
      if (element == NULL)
        return FALSE;
      g_ptr_array_add (list, element);
    }
  return TRUE;
}

static gpointer
read_input_element (JsonObject  *object,
                    const char  *where,
                    GError     **error)
{
  return read_input (object, where, error);
}

static gpointer
read_intervention (JsonObject  *object,
                   const char  *where,
                   GError     **error)
{
  int component = ATTN_COMPONENT_QUERY;
  int operation = ATTN_OPERATION_MEAN;
  int axis = ATTN_AXIS_FEATURE;
  int site = ATTN_SITE_PROJECTION;
  double factor = 1;

  if (!attn_fields_check_members (object, where, intervention_members, error) ||
      !attn_fields_get_choice (object, where, "component", parse_component, &component, error) ||
      !attn_fields_get_choice (object, where, "operation", parse_operation, &operation, error) ||
      !attn_fields_get_choice (object, where, "axis", parse_axis, &axis, error) ||
      !attn_fields_get_choice (object, where, "site", parse_site, &site, error) ||
      !attn_fields_get_number (object, where, "factor", ATTN_EPSILON_MIN, ATTN_EPSILON_MAX, &factor,
                               error))
    return NULL;
  if (!json_object_has_member (object, "component") ||
      !json_object_has_member (object, "operation"))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: no “component” or no “operation” found, expected both"), where);
      return NULL;
    }

  g_autoptr (AttnIntervention) intervention =
      operation == ATTN_OPERATION_SCALE
          ? attn_intervention_new_scale (component, factor, site)
          : attn_intervention_new_mean (component, axis, site);
  if (!attn_fields_get_set (object, where, "layers", NULL, &intervention->layers, error) ||
      !attn_fields_get_set (object, where, "heads", NULL, &intervention->heads, error) ||
      !attn_fields_get_set (object, where, "tokens", NULL, &intervention->tokens, error))
    return NULL;
  return g_steal_pointer (&intervention);
}

static gboolean
read_model (AttnStudy   *study,
            JsonObject  *root,
            const char  *where,
            GError     **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “model”", where);
  JsonObject *object;

  if (!attn_json_get_object (root, where, "model", &object, error))
    return FALSE;
  return object == NULL ||
         (attn_fields_check_members (object, place, model_members, error) &&
          attn_fields_dup_string (object, place, "path", &study->model_path, error) &&
          attn_fields_dup_string (object, place, "fingerprint", &study->model_fingerprint, error));
}

static gboolean
read_components (AttnStudy   *study,
                 JsonObject  *root,
                 const char  *where,
                 GError     **error)
{
  JsonArray *array;

  if (!attn_json_get_array (root, where, "components", &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gboolean is_name = json_node_get_value_type (node) == G_TYPE_STRING;
      AttnComponent component;

      if (!attn_component_parse (is_name ? json_node_get_string (node) : json_node_type_name (node),
                                 &component, error))
        {
          g_prefix_error (error, "%s: “components”: ", where);
          return FALSE;
        }
      study->components[component] = TRUE;
    }
  return TRUE;
}

static gboolean
read_epsilons (AttnStudy   *study,
               JsonObject  *root,
               const char  *where,
               GError     **error)
{
  JsonArray *array;

  if (!attn_json_get_array (root, where, "epsilons", &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      GType type = json_node_get_value_type (node);
      gboolean is_number = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE;
      double epsilon = is_number ? json_node_get_double (node) : 0;

      if (!(epsilon >= ATTN_EPSILON_MIN && epsilon <= ATTN_EPSILON_MAX) || i >= MAX_EPSILONS)
        {
          g_set_error (
              error, ATTN_ERROR, ATTN_ERROR_LIMIT,
              _("%s: “epsilons”: element %u is %g, expected at most %u numbers from 1e-12 to 1e3"),
              where, i, epsilon, MAX_EPSILONS);
          return FALSE;
        }
      g_array_append_val (study->epsilons, epsilon);
    }
  return TRUE;
}

static gboolean
read_scope (AttnStudy   *study,
            JsonObject  *root,
            const char  *where,
            GError     **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “scope”", where);
  JsonObject *object;

  if (!attn_json_get_object (root, where, "scope", &object, error))
    return FALSE;
  return object == NULL ||
         (attn_fields_check_members (object, place, scope_members, error) &&
          attn_fields_get_set (object, place, "layers", &study->acts_on_shown_layer,
                               &study->scope_layers, error) &&
          attn_fields_get_set (object, place, "heads", NULL, &study->scope_heads, error) &&
          attn_fields_get_set (object, place, "tokens", NULL, &study->scope_tokens, error));
}

/* Beyond float32 nothing can be on the colour bar. */
#define MAX_VALUE 1e38

static gboolean
read_style_numbers (AttnStyle   *style,
                    JsonObject  *object,
                    const char  *where,
                    GError     **error)
{
  const char *font;
  gsize n_digits;

  if (!attn_fields_get_number (object, where, "low", -MAX_VALUE, MAX_VALUE, &style->low, error) ||
      !attn_fields_get_number (object, where, "high", -MAX_VALUE, MAX_VALUE, &style->high, error) ||
      !attn_fields_get_number (object, where, "tick", 1e-38, MAX_VALUE, &style->tick, error) ||
      !attn_fields_get_number (object, where, "font-size", 1, 200, &style->font_size, error) ||
      !attn_json_get_size (object, where, "digits", 1, 9, style->n_digits, &n_digits, error) ||
      !attn_json_get_string (object, where, "font", style->font_family, &font, error))
    return FALSE;
  if (!(style->high > style->low) || (style->high - style->low) / style->tick > 1000)
    {
      g_set_error (
          error, ATTN_ERROR, ATTN_ERROR_LIMIT,
          _("%s: “low” %g, “high” %g, “tick” %g found, expected low below high and at most 1000 "
            "ticks"),
          where, style->low, style->high, style->tick);
      return FALSE;
    }
  style->n_digits = n_digits;
  style->font_family = g_intern_string (font);
  return TRUE;
}

static gboolean
read_style (AttnStudy   *study,
            JsonObject  *root,
            const char  *where,
            GError     **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “style”", where);
  AttnStyle *style = &study->style;
  int colormap = style->colormap;
  JsonObject *object;

  if (!attn_json_get_object (root, where, "style", &object, error))
    return FALSE;
  if (object == NULL)
    return TRUE;
  if (!attn_fields_check_members (object, place, style_members, error) ||
      !attn_fields_get_choice (object, place, "colormap", parse_colormap, &colormap, error))
    return FALSE;
  style->colormap = colormap;
  return read_style_numbers (style, object, place, error) &&
         attn_fields_get_color (object, place, "foreground", &style->foreground, error) &&
         attn_fields_get_color (object, place, "background", &style->background, error) &&
         attn_fields_get_flag (object, place, "has-background", &style->has_background, error) &&
         attn_fields_get_flag (object, place, "shows-titles", &style->shows_titles, error) &&
         attn_fields_get_flag (object, place, "shows-caption", &style->shows_caption, error) &&
         attn_fields_get_flag (object, place, "shows-colorbar", &style->shows_colorbar, error) &&
         attn_fields_get_flag (object, place, "shows-tokens", &style->shows_tokens, error) &&
         attn_fields_get_flag (object, place, "shows-values", &style->shows_values, error);
}

static gboolean
read_choices (AttnStudy   *study,
              JsonObject  *root,
              const char  *where,
              GError     **error)
{
  static const char * const layer_names[] = { "strongest-sink", NULL };
  static const char * const head_names[] = { "strongest-sink", "mean", NULL };
  int rows = study->rows;
  int columns = study->columns;
  int operation = study->operation;
  int axis = study->axis;
  int site = study->site;

  if (!attn_fields_get_index (root, where, "layer", layer_names, _("a number or strongest-sink"),
                              &study->layer, error) ||
      !attn_fields_get_index (root, where, "head", head_names,
                              _("a number, mean or strongest-sink"), &study->head, error) ||
      !attn_fields_get_choice (root, where, "rows", parse_dimension, &rows, error) ||
      !attn_fields_get_choice (root, where, "columns", parse_dimension, &columns, error) ||
      !attn_fields_get_choice (root, where, "operation", parse_operation, &operation, error) ||
      !attn_fields_get_choice (root, where, "axis", parse_axis, &axis, error) ||
      !attn_fields_get_choice (root, where, "site", parse_site, &site, error))
    return FALSE;
  study->rows = rows;
  study->columns = columns;
  study->operation = operation;
  study->axis = axis;
  study->site = site;
  return TRUE;
}

static gboolean
check_version (JsonObject  *root,
               const char  *where,
               GError     **error)
{
  gsize version;

  if (!attn_json_get_size (root, where, "version", 0, G_MAXINT32, G_MAXSIZE, &version, error))
    return FALSE;
  if (version == ATTN_STUDY_VERSION)
    return TRUE;
  if (version == G_MAXSIZE)
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                 _("%s: no “version” found, expected a study with version %d"), where,
                 ATTN_STUDY_VERSION);
  else
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                 _("%s: study of version %zu found, expected version %d"), where,
                 version, ATTN_STUDY_VERSION);
  return FALSE;
}

/* What no single member can tell. */
static gboolean
check_whole (const AttnStudy  *study,
             const char       *where,
             GError          **error)
{
  if (study->inputs->len == 0)
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                 _("%s: no “inputs” found, expected at least one"), where);
  else if (study->rows == study->columns && study->rows != ATTN_DIMENSION_NONE)
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                 _("%s: “%s” found along rows and columns, expected two different dimensions"),
                 where, attn_dimension_get_name (study->rows));
  else if (study->operation == ATTN_OPERATION_SCALE && study->epsilons->len == 0)
    g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                 _("%s: operation “scale” without “epsilons” found, expected at least one"), where);
  else
    return TRUE;
  return FALSE;
}

/**
 * attn_study_from_json:
 * @where: what messages begin with, such as the file's path
 * @json: a study as JSON
 * @length: its bytes, or -1 up to the NUL
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for another version, %ATTN_ERROR_FORMAT,
 *   %ATTN_ERROR_LIMIT or %ATTN_ERROR_ARGUMENT for a member that is not known, of another type or
 *   out of range; each message names the member
 *
 * Returns: (transfer full) (nullable): the study
 */
AttnStudy *
attn_study_from_json (const char  *where,
                      const char  *json,
                      gssize       length,
                      GError     **error)
{
  g_autoptr (JsonNode) node = attn_json_parse (where, json, length, error);

  if (node == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: %s found, expected a study, an object"), where,
                   json_node_type_name (node));
      return NULL;
    }

  JsonObject *root = json_node_get_object (node);
  g_autoptr (AttnStudy) study = attn_study_new ();
  if (check_version (root, where, error) &&
      attn_fields_check_members (root, where, study_members, error) &&
      attn_fields_dup_string (root, where, "preset", &study->preset, error) &&
      read_model (study, root, where, error) &&
      read_objects (root, where, "inputs", MAX_INPUTS, read_input_element, study->inputs, error) &&
      attn_fields_get_flag (root, where, "special-tokens", &study->adds_special_tokens, error) &&
      read_choices (study, root, where, error) && read_components (study, root, where, error) &&
      read_epsilons (study, root, where, error) && read_scope (study, root, where, error) &&
      read_objects (root, where, "extra-interventions", MAX_INTERVENTIONS, read_intervention,
                    study->extra_interventions, error) &&
      attn_fields_dup_string (root, where, "title", &study->title, error) &&
      attn_fields_dup_string (root, where, "caption", &study->caption, error) &&
      read_style (study, root, where, error) && check_whole (study, where, error))
    return g_steal_pointer (&study);
  return NULL;
}

/**
 * attn_study_load:
 * @path: a file that [func@attn_study_save] wrote, or that somebody wrote by hand
 * @error: return location: #GFileError, and as for [func@attn_study_from_json]
 *
 * Returns: (transfer full) (nullable): the study
 */
AttnStudy *
attn_study_load (const char  *path,
                 GError     **error)
{
  g_autoptr (GBytes) bytes = attn_map_file (path, error);
  gsize length;

  if (bytes == NULL)
    return NULL;
  const char *json = g_bytes_get_data (bytes, &length);
  return attn_study_from_json (path, json != NULL ? json : "", length, error);
}

/**
 * attn_study_save:
 * @error: return location for a #GFileError
 *
 * Replaces @path only by a complete file.
 */
gboolean
attn_study_save (const AttnStudy  *study,
                 const char       *path,
                 GError          **error)
{
  char *json = attn_study_to_json (study);
  g_autoptr (GBytes) bytes = g_bytes_new_take (json, strlen (json));

  return attn_save_bytes (path, bytes, error);
}
