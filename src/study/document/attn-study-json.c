/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study as JSON. Strict: a member that is not known is refused by name, since a typing error
 * that is passed over would be a wrong picture that nobody notices. A member that is missing has
 * the value of attn_study_new().
 *
 *   { "version": 1,
 *     "preset": "epsilon",
 *     "model": { "path": "/models/gpt2" or, not being UTF-8, "file:/models/caf%E9",
 *                "fingerprint": "..." },
 *     "inputs": [ { "text": "A rose is a rose", "tokens": 10 }, { "ids": [2, 17, 5] } ],
 *     "special-tokens": true,
 *     "layer": 3 or "strongest-sink",
 *     "head": 7, "strongest-sink" or "mean",
 *     "figure": "grid", "head-groups" or "layer-token",
 *     "rows": "none", "input", "component", "epsilon", "layer", "head", "site", "axis", "model" or
 *       "comparison",  "columns": the same,
 *     "layers": "all" or "0,2-4",  "heads": the same,
 *     "sites": ["projection", "rotated"],  "axes": ["feature", "token"],
 *     "other-models": [ { "path": "/models/gpt2-medium" } ],
 *     "compared": "intervention", "input", "layer", "head" or "model",
 *     "differences": "none", "all" or "0,3",
 *     "words": false,  "hidden-keys": "none", "0",  "renormalise": false,
 *     "queries": "all" or "4-7",  "last-queries": 0,
 *     "operation": "mean" or "scale",
 *     "components": ["query", "key", "value"],
 *     "axis": "feature",  "site": "projection",
 *     "epsilons": [0.5, 0.001],
 *     "scope": { "layers": "shown", "all" or "0,2-4",  "heads": "all",  "tokens": "all" },
 *     "extra-interventions": [
 *       { "component": "key", "operation": "scale", "factor": 0.5, "axis": "feature",
 *         "site": "projection", "layers": "1", "heads": "all", "tokens": "all" } ],
 *     "groups": and "roles", "regions": see attn-study-figures.c,
 *     "title": "...",  "caption": "...",  "value-label": "Attention Weight",
 *     "style", "view", "views", "page": see attn-study-look.c }
 */

#include "config.h"

#include "attn-study-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-json.h"
#include "attn-save.h"
#include "attn-study-fields.h"

/* More than any figure has: bounds what a file can make the program do. */
#define MAX_MODELS        64
#define MAX_INPUTS        1024
#define MAX_EPSILONS      1024
#define MAX_INTERVENTIONS 1024
#define MAX_INDEX         ((gsize) G_MAXINT32 - 1)

static const char * const study_members[] = {
  "version", "preset", "model", "other-models", "inputs", "special-tokens", "words", "figure",
  "layer", "head", "rows", "columns", "layers", "heads", "compared", "differences", "hidden-keys",
  "renormalise", "queries", "last-queries", "operation", "components", "axis", "axes", "site",
  "sites", "epsilons", "scope", "extra-interventions", "groups", "roles", "regions", "title",
  "caption", "value-label", "style", "view", "views", "page", NULL
};
static const char * const model_members[] = { "path", "fingerprint", NULL };
static const char * const input_members[] = { "text", "ids", "tokens", NULL };
static const char * const scope_members[] = { "layers", "heads", "tokens", NULL };
static const char * const intervention_members[] = {
  "component", "operation", "axis", "factor", "site", "layers", "heads", "tokens", NULL
};
ATTN_DEFINE_PARSE (component, AttnComponent)
ATTN_DEFINE_PARSE (operation, AttnOperation)
ATTN_DEFINE_PARSE (axis, AttnAxis)
ATTN_DEFINE_PARSE (site, AttnSite)
ATTN_DEFINE_PARSE (dimension, AttnDimension)
ATTN_DEFINE_PARSE (figure_kind, AttnFigureKind)

ATTN_DEFINE_PARSE (compared, AttnDimension)

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
          attn_fields_dup_path (object, place, "path", &study->model_path, error) &&
          attn_fields_dup_string (object, place, "fingerprint", &study->model_fingerprint, error));
}

static gpointer
read_other_model (JsonObject  *object,
                  const char  *where,
                  GError     **error)
{
  g_autoptr (AttnModelReference) reference = attn_model_reference_new (NULL, NULL);

  if (!attn_fields_check_members (object, where, model_members, error) ||
      !attn_fields_dup_path (object, where, "path", &reference->path, error) ||
      !attn_fields_dup_string (object, where, "fingerprint", &reference->fingerprint, error))
    return NULL;
  return g_steal_pointer (&reference);
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

static gboolean
read_choices (AttnStudy   *study,
              JsonObject  *root,
              const char  *where,
              GError     **error)
{
  static const char * const layer_names[] = { "strongest-sink", NULL };
  static const char * const head_names[] = { "strongest-sink", "mean", NULL };
  int figure = study->figure;
  int rows = study->rows;
  int columns = study->columns;
  int compared = study->compared;
  int operation = study->operation;
  int axis = study->axis;
  int site = study->site;

  if (!attn_fields_get_index (root, where, "layer", layer_names, _("a number or strongest-sink"),
                              &study->layer, error) ||
      !attn_fields_get_index (root, where, "head", head_names,
                              _("a number, mean or strongest-sink"), &study->head, error) ||
      !attn_fields_get_choice (root, where, "figure", parse_figure_kind, &figure, error) ||
      !attn_fields_get_choice (root, where, "compared", parse_compared, &compared, error) ||
      !attn_fields_get_choice (root, where, "rows", parse_dimension, &rows, error) ||
      !attn_fields_get_choice (root, where, "columns", parse_dimension, &columns, error) ||
      !attn_fields_get_choice (root, where, "operation", parse_operation, &operation, error) ||
      !attn_fields_get_choice (root, where, "axis", parse_axis, &axis, error) ||
      !attn_fields_get_choice (root, where, "site", parse_site, &site, error))
    return FALSE;
  study->figure = figure;
  study->compared = compared;
  study->rows = rows;
  study->columns = columns;
  study->operation = operation;
  study->axis = axis;
  study->site = site;
  return TRUE;
}

/* "none", "all", or a set: whether there are any, and which. */
static gboolean
read_optional_set (JsonObject    *root,
                   const char    *where,
                   const char    *member,
                   gboolean      *has_any,
                   AttnIndexSet **set,
                   GError       **error)
{
  const char *text;

  if (!attn_json_get_string (root, where, member, "none", &text, error))
    return FALSE;
  *has_any = !g_str_equal (text, "none");
  return !*has_any || attn_fields_get_set (root, where, member, NULL, set, error);
}

/* Which rows, columns and panels of a grid are shown, and how. */
static gboolean
read_parts_of_grid (AttnStudy   *study,
                    JsonObject  *root,
                    const char  *where,
                    GError     **error)
{
  return attn_fields_get_set (root, where, "layers", NULL, &study->layers, error) &&
         attn_fields_get_set (root, where, "heads", NULL, &study->heads, error) &&
         read_optional_set (root, where, "differences", &study->shows_differences,
                            &study->differences, error) &&
         read_optional_set (root, where, "hidden-keys", &study->hides_keys, &study->hidden_keys,
                            error) &&
         attn_fields_get_flag (root, where, "renormalise", &study->renormalises, error) &&
         attn_fields_get_set (root, where, "queries", NULL, &study->queries, error) &&
         attn_fields_get_size (root, where, "last-queries", &study->n_last_queries, error) &&
         attn_fields_get_flag (root, where, "words", &study->joins_words, error) &&
         attn_fields_get_flags (root, where, "axes", parse_axis, study->axes, error) &&
         attn_fields_get_flags (root, where, "sites", parse_site, study->sites, error) &&
         attn_fields_get_flags (root, where, "components", parse_component, study->components,
                                error);
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

/* Recorded arrays bring their own input, whatever the study has; some studies have none. */
static void
complete_inputs (AttnStudy *study)
{
  if (study->inputs->len == 0 && study->model_path != NULL &&
      attn_model_has_array_name (study->model_path))
    g_ptr_array_add (study->inputs, attn_input_new_text ("", 0));
}

/* What no single member can tell. */
static gboolean
check_whole (const AttnStudy  *study,
             const char       *where,
             GError          **error)
{
  if (study->inputs->len == 0 && study->figure != ATTN_FIGURE_LAYER_TOKEN)
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

/* The study that is the object @root; errors are those of attn_study_from_json(). */
AttnStudy *
attn_study_read (JsonObject  *root,
                 const char  *where,
                 GError     **error)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  if (check_version (root, where, error) &&
      attn_fields_check_members (root, where, study_members, error) &&
      attn_fields_dup_string (root, where, "preset", &study->preset, error) &&
      read_model (study, root, where, error) &&
      attn_fields_read_objects (root, where, "other-models", MAX_MODELS, read_other_model,
                                study->other_models, error) &&
      attn_fields_read_objects (root, where, "inputs", MAX_INPUTS, read_input_element,
                                study->inputs, error) &&
      attn_fields_get_flag (root, where, "special-tokens", &study->adds_special_tokens, error) &&
      read_choices (study, root, where, error) &&
      read_parts_of_grid (study, root, where, error) &&
      read_epsilons (study, root, where, error) && read_scope (study, root, where, error) &&
      attn_fields_read_objects (root, where, "extra-interventions", MAX_INTERVENTIONS,
                                read_intervention, study->extra_interventions, error) &&
      attn_fields_dup_string (root, where, "title", &study->title, error) &&
      attn_fields_dup_string (root, where, "caption", &study->caption, error) &&
      attn_fields_dup_string (root, where, "value-label", &study->value_label, error) &&
      attn_study_read_groups (study, root, where, error) &&
      attn_study_read_roles (study, root, where, error) &&
      attn_study_read_regions (study, root, where, error) &&
      attn_study_read_style (study, root, where, error) &&
      attn_study_read_view (study, root, where, error) &&
      attn_study_read_page (study, root, where, error))
    {
      complete_inputs (study);
      if (check_whole (study, where, error))
        return g_steal_pointer (&study);
    }
  return NULL;
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

  return attn_study_read (json_node_get_object (node), where, error);
}

/**
 * attn_study_load:
 * @path: a file that [func@attn_study_save] wrote, or that somebody wrote by hand; or an SVG that
 *   the program exported, which carries its study
 * @error: return location: #GFileError, %ATTN_ERROR_LIMIT for a study of more than
 *   %ATTN_STUDY_MAX_BYTES, and as for [func@attn_study_from_json]
 *
 * Returns: (transfer full) (nullable): the study
 */
AttnStudy *
attn_study_load (const char  *path,
                 GError     **error)
{
  gsize length;
  g_autoptr (GBytes) bytes = attn_file_read_start (path, ATTN_STUDY_MAX_SVG, &length, error);

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, NULL);
  g_autofree char *where = g_filename_display_name (path);
  if (text[0] == '<')
    return attn_study_from_svg (where, text, g_bytes_get_size (bytes), error);
  if (!attn_file_check_size (path, length, ATTN_STUDY_MAX_BYTES, error))
    return NULL;
  return attn_study_from_json (where, text, length, error);
}

/**
 * attn_study_save:
 * @error: return location: errors of [func@attn_save_bytes], %ATTN_ERROR_LIMIT for a study that
 *   could not be loaded again
 *
 * Replaces @path only by a complete file.
 */
gboolean
attn_study_save (const AttnStudy  *study,
                 const char       *path,
                 GError          **error)
{
  char *json = attn_study_to_json (study);
  gsize length = strlen (json);
  g_autoptr (GBytes) bytes = g_bytes_new_take (json, length);

  return attn_file_check_size (path, length, ATTN_STUDY_MAX_BYTES, error) &&
         attn_save_bytes (path, bytes, error);
}
