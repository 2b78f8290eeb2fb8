/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each option has a callback, so that its value is refused in the words of this program, and so
 * that inputs and operations keep the order in which they stand on the command line. */

#include "config.h"

#include "attn-cli-options.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-private.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-text.h"
#include "attn-threads.h"

static void
clear_choice (gpointer choice)
{
  g_free (((AttnCliChoice *) choice)->value);
}

AttnCliOptions *
attn_cli_options_new (void)
{
  AttnCliOptions *options = g_new0 (AttnCliOptions, 1);

  options->outputs = g_ptr_array_new_with_free_func (g_free);
  options->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_input_free);
  options->operations = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  options->epsilons = g_array_new (FALSE, FALSE, sizeof (double));
  options->choices = g_array_new (FALSE, FALSE, sizeof (AttnCliChoice));
  g_array_set_clear_func (options->choices, clear_choice);
  options->adds_special_tokens = TRUE;
  options->quantity = ATTN_QUANTITY_WEIGHTS;
  return options;
}

void
attn_cli_options_free (AttnCliOptions *options)
{
  g_free (options->model);
  g_free (options->format);
  g_ptr_array_unref (options->inputs);
  g_ptr_array_unref (options->outputs);
  g_ptr_array_unref (options->operations);
  g_array_unref (options->epsilons);
  g_array_unref (options->choices);
  g_clear_pointer (&options->layers.set, attn_index_set_unref);
  g_clear_pointer (&options->heads.set, attn_index_set_unref);
  g_clear_pointer (&options->tokens.set, attn_index_set_unref);
  g_free (options);
}

static gboolean
fail_value (const char  *option,
            const char  *value,
            const char  *expected,
            GError     **error)
{
  g_autofree char *display = g_filename_display_name (value);

  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: “%s” found, expected %s"), option, display,
                    expected);
}

/* The parsers of src/model say what was found and expected; the option is added in front. */
static gboolean
finish (gboolean     is_good,
        const char  *option,
        GError     **error)
{
  if (!is_good)
    g_prefix_error (error, "%s: ", option);
  return is_good;
}

static gboolean
parse_output_cb (const char  *option,
                 const char  *value,
                 gpointer     data,
                 GError     **error)
{
  AttnCliOptions *options = data;

  g_ptr_array_add (options->outputs, g_strdup (value));
  return TRUE;
}

static gboolean
parse_text_cb (const char  *option,
               const char  *value,
               gpointer     data,
               GError     **error)
{
  AttnCliOptions *options = data;

  if (!attn_text_check_utf8 (option, value, strlen (value), error))
    return FALSE;
  g_ptr_array_add (options->inputs, attn_input_new_text (value, 0));
  return TRUE;
}

static gboolean
parse_text_file_cb (const char  *option,
                    const char  *value,
                    gpointer     data,
                    GError     **error)
{
  AttnCliOptions *options = data;
  g_autofree char *where = g_filename_display_name (value);

  if (!g_file_test (value, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file found, expected one input a line"), where);
      return FALSE;
    }
  g_autoptr (GBytes) bytes = attn_file_read (value, G_MAXSIZE, error);
  if (bytes == NULL)
    return FALSE;
  GPtrArray *inputs = attn_inputs_split_text (where, g_bytes_get_data (bytes, NULL),
                                              g_bytes_get_size (bytes), FALSE, error);
  if (inputs != NULL)
    g_ptr_array_extend_and_steal (options->inputs, inputs);
  return inputs != NULL;
}

static gboolean
parse_ids_cb (const char  *option,
              const char  *value,
              gpointer     data,
              GError     **error)
{
  AttnCliOptions *options = data;
  AttnInput *input = attn_input_parse_ids (value, error);

  if (input != NULL)
    g_ptr_array_add (options->inputs, input);
  return finish (input != NULL, option, error);
}

static gboolean
parse_switch (const char  *option,
              const char  *value,
              gboolean    *is_on,
              GError     **error)
{
  *is_on = g_str_equal (value, "on");
  return *is_on || g_str_equal (value, "off") || fail_value (option, value, _("on or off"), error);
}

/* For a subcommand whose only setting is a switch: @data is it. */
gboolean
attn_cli_parse_switch_cb (const char  *option,
                          const char  *value,
                          gpointer     data,
                          GError     **error)
{
  return parse_switch (option, value, data, error);
}

static gboolean
parse_special_tokens_cb (const char  *option,
                         const char  *value,
                         gpointer     data,
                         GError     **error)
{
  AttnCliOptions *options = data;

  options->has_special_tokens = TRUE;
  return parse_switch (option, value, &options->adds_special_tokens, error);
}

static gboolean
parse_number (const char *text,
              int        *number)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32 - 1, &value, NULL))
    return FALSE;
  *number = value;
  return TRUE;
}

static gboolean
parse_layer_cb (const char  *option,
                const char  *value,
                gpointer     data,
                GError     **error)
{
  AttnCliOptions *options = data;

  options->has_layer = TRUE;
  options->layer = ATTN_CLI_ALL;
  return g_str_equal (value, "all") || parse_number (value, &options->layer) ||
         fail_value (option, value, _("a number or all"), error);
}

static gboolean
parse_head_cb (const char  *option,
               const char  *value,
               gpointer     data,
               GError     **error)
{
  AttnCliOptions *options = data;

  options->has_head = TRUE;
  options->head = g_str_equal (value, "all")              ? ATTN_CLI_ALL
                  : g_str_equal (value, "mean")           ? ATTN_HEAD_MEAN
                  : g_str_equal (value, "strongest-sink") ? ATTN_HEAD_STRONGEST_SINK
                                                          : 0;
  return options->head != 0 || parse_number (value, &options->head) ||
         fail_value (option, value, _("a number, all, mean or strongest-sink"), error);
}

static gboolean
parse_mean_cb (const char  *option,
               const char  *value,
               gpointer     data,
               GError     **error)
{
  AttnCliOptions *options = data;
  AttnComponent component;

  if (!finish (attn_text_parse_name (attn_component_names, value, &component, error), option, error))
    return FALSE;
  g_ptr_array_add (options->operations,
                   attn_intervention_new_mean (component, ATTN_AXIS_FEATURE, ATTN_SITE_PROJECTION));
  return TRUE;
}

static gboolean
parse_epsilon (const char  *option,
               const char  *value,
               double      *epsilon,
               GError     **error)
{
  if (attn_text_parse_number (value, epsilon) && *epsilon >= ATTN_EPSILON_MIN &&
      *epsilon <= ATTN_EPSILON_MAX)
    return TRUE;
  return fail_value (option, value, _("a factor from 1e-12 to 1e3"), error);
}

static gboolean
parse_scale_cb (const char  *option,
                const char  *value,
                gpointer     data,
                GError     **error)
{
  AttnCliOptions *options = data;
  const char *sign = strchr (value, '=');
  AttnComponent component;
  double epsilon;

  if (sign == NULL)
    return fail_value (option, value, _("a component and a factor such as query=0.5"), error);

  g_autofree char *name = g_strndup (value, sign - value);
  if (!finish (attn_text_parse_name (attn_component_names, name, &component, error), option, error) ||
      !parse_epsilon (option, sign + 1, &epsilon, error))
    return FALSE;
  g_ptr_array_add (options->operations,
                   attn_intervention_new_scale (component, epsilon, ATTN_SITE_PROJECTION));
  return TRUE;
}

static gboolean
parse_epsilons_cb (const char  *option,
                   const char  *value,
                   gpointer     data,
                   GError     **error)
{
  AttnCliOptions *options = data;
  g_auto (GStrv) parts = g_strsplit (value, ",", -1);

  g_array_set_size (options->epsilons, 0);
  for (char **part = parts; *part != NULL; part++)
    {
      double epsilon;

      if (!parse_epsilon (option, *part, &epsilon, error))
        return FALSE;
      g_array_append_val (options->epsilons, epsilon);
    }
  return options->epsilons->len > 0 ||
         fail_value (option, value, _("factors such as 5e-1,1e-3"), error);
}

static gboolean
parse_axis_cb (const char  *option,
               const char  *value,
               gpointer     data,
               GError     **error)
{
  AttnCliOptions *options = data;

  options->has_axis = TRUE;
  return finish (attn_text_parse_name (attn_axis_names, value, &options->axis, error), option, error);
}

static gboolean
parse_site_cb (const char  *option,
               const char  *value,
               gpointer     data,
               GError     **error)
{
  AttnCliOptions *options = data;

  options->has_site = TRUE;
  return finish (attn_text_parse_name (attn_site_names, value, &options->site, error), option, error);
}

static gboolean
parse_scope (const char    *option,
             const char    *value,
             AttnCliScope  *scope,
             GError       **error)
{
  scope->is_given = TRUE;
  g_clear_pointer (&scope->set, attn_index_set_unref);
  if (g_str_equal (value, "all"))
    return TRUE;
  scope->set = attn_index_set_parse (value, error);
  return finish (scope->set != NULL, option, error);
}

static gboolean
parse_scope_cb (const char  *option,
                const char  *value,
                gpointer     data,
                GError     **error)
{
  AttnCliOptions *options = data;
  AttnCliScope *scope = g_str_has_suffix (option, "layers")  ? &options->layers
                        : g_str_has_suffix (option, "heads") ? &options->heads
                                                             : &options->tokens;

  return parse_scope (option, value, scope, error);
}

static gboolean
parse_threads_cb (const char  *option,
                  const char  *value,
                  gpointer     data,
                  GError     **error)
{
  int n_threads;

  if (!parse_number (value, &n_threads) || n_threads < 1 || n_threads > ATTN_MAX_THREADS)
    return fail_value (option, value, _("a number of threads from 1 to 256"), error);
  attn_threads_set (n_threads);
  return TRUE;
}

static const struct
{
  const char *name;
  AttnQuantity quantity;
} quantities[] = {
  { "weights", ATTN_QUANTITY_WEIGHTS },
  { "scores", ATTN_QUANTITY_SCORES },
  { "query", ATTN_QUANTITY_QUERY },
  { "key", ATTN_QUANTITY_KEY },
  { "value", ATTN_QUANTITY_VALUE },
  { "logits", ATTN_QUANTITY_LOGITS },
};

const char *
attn_cli_get_quantity_name (AttnQuantity quantity)
{
  gsize i = 0;

  while (quantities[i].quantity != quantity)
    i++;
  return quantities[i].name;
}

gboolean
attn_cli_parse_quantity_cb (const char  *option,
                            const char  *value,
                            gpointer     data,
                            GError     **error)
{
  AttnCliOptions *options = data;

  for (gsize i = 0; i < G_N_ELEMENTS (quantities); i++)
    if (g_str_equal (value, quantities[i].name))
      {
        options->quantity = quantities[i].quantity;
        return TRUE;
      }
  return fail_value (option, value, _("weights, scores, query, key, value or logits"), error);
}

/* An option that changes one thing of the study: a value that is wrong as it stands is refused
 * here, before anything is computed. */
static gboolean
parse_setting_cb (const char  *option,
                  const char  *value,
                  gpointer     data,
                  GError     **error)
{
  AttnCliOptions *options = data;
  AttnCliChoice choice = { attn_cli_settings_find (option), g_strdup (value) };
  g_autoptr (AttnStudy) empty = attn_study_new ();

  g_array_append_val (options->choices, choice);
  return finish (attn_cli_setting_apply (choice.setting, empty, value, error), option, error);
}

#define OPTION(name, letter, callback, description, argument)                                    \
  {                                                                                              \
    name, letter, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, callback, description, argument \
  }

/**
 * attn_cli_options_list_entries:
 * @options: what they set; the data of their group
 *
 * Returns: (transfer full) (element-type GOptionEntry): the options that `render` and `compute`
 *   share, zero-terminated
 */
GArray *
attn_cli_options_list_entries (AttnCliOptions *options)
{
  const GOptionEntry fixed[] = {
    OPTION ("output", 'o', parse_output_cb,
            N_("Where to write, - for standard output; repeat for several formats"), "FILE"),
    { "format", 0, 0, G_OPTION_ARG_FILENAME, &options->format,
      N_("What -o - writes: the ending of such a file; default svg, of compute npy"), "ENDING" },
    { "model", 0, 0, G_OPTION_ARG_FILENAME, &options->model,
      N_("Checkpoint directory or file; default: the model that ships with the program"), "PATH" },
    OPTION ("text", 0, parse_text_cb, N_("An input; repeat for several"), "TEXT"),
    OPTION ("text-file", 0, parse_text_file_cb, N_("One input a line; empty lines are left out"),
            "FILE"),
    OPTION ("ids", 0, parse_ids_cb, N_("An input as token ids, used as they are"), "2,17,5"),
    OPTION ("special-tokens", 0, parse_special_tokens_cb,
            N_("What the tokenizer adds by itself, such as a first <s>; default on"), "on|off"),
    OPTION ("layer", 0, parse_layer_cb, N_("The layer on display"), "N|all"),
    OPTION ("head", 0, parse_head_cb, N_("The head on display"), "N|all|mean|strongest-sink"),
    OPTION ("mean", 0, parse_mean_cb, N_("Replace query, key or value by its mean; repeatable"),
            "COMPONENT"),
    OPTION ("axis", 0, parse_axis_cb, N_("What the mean is over; default feature"),
            "feature|token|head"),
    OPTION ("scale", 0, parse_scale_cb, N_("Multiply query, key or value by ε; repeatable"),
            "COMPONENT=ε"),
    OPTION ("epsilons", 0, parse_epsilons_cb, N_("The factors of a figure that has several"),
            "5e-1,1e-3,1e-10"),
    OPTION ("site", 0, parse_site_cb, N_("Where in the layer it is done; default projection"),
            "projection|normed|rotated"),
    OPTION ("scope-layers", 0, parse_scope_cb, N_("In which layers; default: those on display"),
            "all|N,N|N-N"),
    OPTION ("scope-heads", 0, parse_scope_cb, N_("In which heads; default all"), "all|N,N|N-N"),
    OPTION ("scope-tokens", 0, parse_scope_cb, N_("At which token positions; default all"),
            "all|N,N|N-N"),
    OPTION ("threads", 0, parse_threads_cb, N_("How many threads compute"), "N"),
  };
  GArray *entries = g_array_new (TRUE, FALSE, sizeof (GOptionEntry));

  g_array_append_vals (entries, fixed, G_N_ELEMENTS (fixed));
  attn_cli_settings_add_entries (entries, parse_setting_cb);
  return entries;
}

/**
 * attn_cli_options_has_operation:
 *
 * Returns: whether --mean or --scale was there
 */
gboolean
attn_cli_options_has_operation (const AttnCliOptions *options,
                                AttnOperation         operation)
{
  for (guint i = 0; i < options->operations->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (options->operations, i);

      if (intervention->operation == operation)
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_cli_options_count:
 * @setting: name of an option that changes one thing of the study
 *
 * Returns: how often it was there
 */
guint
attn_cli_options_count (const AttnCliOptions *options,
                        const char           *setting)
{
  guint n = 0;

  for (guint i = 0; i < options->choices->len; i++)
    n += g_str_equal (g_array_index (options->choices, AttnCliChoice, i).setting->name, setting);
  return n;
}

/**
 * attn_cli_options_build:
 * @operations: (array fixed-size=2): which of --mean and --scale to take, indexed by #AttnOperation
 * @default_layers: (nullable): the scope in layers where --scope-layers was not given; %NULL for
 *   all
 *
 * Returns: (transfer full) (element-type AttnIntervention): the interventions, complete with axis,
 *   site and scope
 */
GPtrArray *
attn_cli_options_build (const AttnCliOptions *options,
                        const gboolean       *operations,
                        AttnIndexSet         *default_layers)
{
  GPtrArray *interventions = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  for (guint i = 0; i < options->operations->len; i++)
    {
      const AttnIntervention *asked = g_ptr_array_index (options->operations, i);

      if (!operations[asked->operation])
        continue;
      AttnIntervention *intervention = attn_intervention_copy (asked);
      intervention->axis = options->axis;
      intervention->site = options->site;
      intervention->layers =
          attn_index_set_ref (options->layers.is_given ? options->layers.set : default_layers);
      intervention->heads = attn_index_set_ref (options->heads.set);
      intervention->tokens = attn_index_set_ref (options->tokens.set);
      g_ptr_array_add (interventions, intervention);
    }
  return interventions;
}
