/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each option has a callback, so that this program instead of GLib words the message about an
 * invalid value, and so that inputs and interventions keep the order of the command line. */

#include "config.h"

#include "attn-cli-options.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-private.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-text.h"
#include "attn-threads.h"

static const AttnCliWhat whats[] = {
  { "weights", ATTN_QUANTITY_WEIGHTS, ATTN_MAP_WEIGHTS },
  { "scores", ATTN_QUANTITY_SCORES, ATTN_MAP_SCORES },
  { "query", ATTN_QUANTITY_QUERY, ATTN_MAP_WEIGHTS },
  { "key", ATTN_QUANTITY_KEY, ATTN_MAP_WEIGHTS },
  { "value", ATTN_QUANTITY_VALUE, ATTN_MAP_WEIGHTS },
  { "value-norm", 0, ATTN_MAP_VALUE_NORM },
  { "logit", 0, ATTN_MAP_LOGIT },
  { "rollout", 0, ATTN_MAP_ROLLOUT },
  { "output", ATTN_QUANTITY_OUTPUT, ATTN_MAP_WEIGHTS },
  { "residual", ATTN_QUANTITY_RESIDUAL, ATTN_MAP_WEIGHTS },
  { "attention", ATTN_QUANTITY_ATTENTION, ATTN_MAP_WEIGHTS },
  { "mlp", ATTN_QUANTITY_MLP, ATTN_MAP_WEIGHTS },
  { "cosine", 0, ATTN_MAP_COSINE },
  { "norms", 0, ATTN_MAP_NORMS },
  { "logits", ATTN_QUANTITY_LOGITS, ATTN_MAP_WEIGHTS },
  { "kl", 0, ATTN_MAP_WEIGHTS, ATTN_CLI_EFFECT_KL },
  { "loss", 0, ATTN_MAP_WEIGHTS, ATTN_CLI_EFFECT_LOSS },
  { "logit-difference", 0, ATTN_MAP_WEIGHTS, ATTN_CLI_EFFECT_DIFFERENCE },
  { "prediction", 0, ATTN_MAP_WEIGHTS, ATTN_CLI_EFFECT_PREDICTION },
  { "edge", ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY, ATTN_MAP_WEIGHTS },
};

static void
clear_choice (gpointer choice)
{
  g_free (((AttnCliChoice *) choice)->value);
}

static void
target_free (gpointer data)
{
  AttnCliTarget *target = data;

  g_free (target->name);
  g_free (target);
}

AttnCliOptions *
attn_cli_options_new (void)
{
  AttnCliOptions *options = g_new0 (AttnCliOptions, 1);

  options->targets = g_ptr_array_new_with_free_func (target_free);
  options->operations = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  options->choices = g_array_new (FALSE, FALSE, sizeof (AttnCliChoice));
  g_array_set_clear_func (options->choices, clear_choice);
  options->asked = attn_study_new ();
  options->asked->layer = options->asked->head = ATTN_CLI_ALL;
  options->what = &whats[0];
  options->n_top = -1;
  return options;
}

void
attn_cli_options_free (AttnCliOptions *options)
{
  attn_study_unref (options->asked);
  g_free (options->format);
  g_ptr_array_unref (options->targets);
  g_ptr_array_unref (options->operations);
  g_array_unref (options->choices);
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

/* Puts the name of the option in front of a parser's error message, which says what was found and
 * expected. Returns @is_good. */
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

  AttnCliTarget *target = g_new0 (AttnCliTarget, 1);

  target->name = g_strdup (value);
  target->is_standard_output = g_str_equal (value, "-");
  g_ptr_array_add (options->targets, target);
  return TRUE;
}

static gboolean
parse_model_cb (const char  *option,
                const char  *value,
                gpointer     data,
                GError     **error)
{
  AttnCliOptions *options = data;

  attn_model_reference_parse (&options->asked->model, value);
  return TRUE;
}

/* Joins the pictures that the next --text or --ids contains into one input: all pictures behind the
 * last text. @taken: (out) (transfer none) (nullable): that input; %NULL if there are no
 * pictures */
static gboolean
take_pictures (AttnCliOptions  *options,
               AttnInput      **taken,
               GError         **error)
{
  GPtrArray *inputs = options->asked->inputs;
  guint first = inputs->len;

  while (first > 0 && attn_input_is_picture (inputs->pdata[first - 1]) &&
         !attn_input_is_text (inputs->pdata[first - 1]))
    first--;
  *taken = first < inputs->len ? inputs->pdata[first] : NULL;
  if (inputs->len - first > ATTN_MAX_PICTURES)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%u pictures before a text found, expected at most %u"),
                      inputs->len - first, (guint) ATTN_MAX_PICTURES);
  while (inputs->len > first + 1)
    {
      const AttnInput *next = inputs->pdata[first + 1];

      if ((next->pixels != NULL) != ((*taken)->pixels != NULL))
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("--image and --pixels before one text found, expected pictures of one "
                            "kind"));
      attn_input_add_picture (*taken, attn_input_get_pictures (next)[0], next->pixels != NULL);
      g_ptr_array_remove_index (inputs, first + 1);
    }
  return TRUE;
}

static gboolean
parse_text_cb (const char  *option,
               const char  *value,
               gpointer     data,
               GError     **error)
{
  AttnCliOptions *options = data;

  AttnInput *seen;

  if (!attn_text_check_utf8 (option, value, strlen (value), error) ||
      !take_pictures (options, &seen, error))
    return FALSE;
  if (seen != NULL)
    seen->text = g_strdup (value);
  else
    g_ptr_array_add (options->asked->inputs, attn_input_new_text (value, 0));
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
  g_autoptr (GBytes) bytes = attn_file_read_text (value, error);
  if (bytes == NULL)
    return FALSE;
  GPtrArray *inputs = attn_inputs_split_text (where, g_bytes_get_data (bytes, NULL),
                                              g_bytes_get_size (bytes), FALSE, error);
  if (inputs != NULL)
    g_ptr_array_extend_and_steal (options->asked->inputs, inputs);
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
  AttnInput *seen;

  if (input != NULL && !take_pictures (options, &seen, error))
    g_clear_pointer (&input, attn_input_free);
  if (input != NULL && seen != NULL)
    {
      seen->ids = g_steal_pointer (&input->ids);
      seen->n_ids = input->n_ids;
      attn_input_free (input);
    }
  else if (input != NULL)
    g_ptr_array_add (options->asked->inputs, input);
  return finish (input != NULL, option, error);
}

static gboolean
parse_picture_cb (const char  *option,
                  const char  *value,
                  gpointer     data,
                  GError     **error)
{
  AttnCliOptions *options = data;

  g_ptr_array_add (options->asked->inputs,
                   attn_input_new_picture (value, g_str_has_suffix (option, "pixels")));
  return TRUE;
}

static gboolean
parse_sound_cb (const char  *option,
                const char  *value,
                gpointer     data,
                GError     **error)
{
  AttnCliOptions *options = data;

  g_ptr_array_add (options->asked->inputs,
                   attn_input_new_sound (value, g_str_has_suffix (option, "features")));
  return TRUE;
}

/* Finds the input that a target belongs to, which is the last input so far. Fails if it already has
 * a target. */
static AttnInput *
find_targeted (const AttnCliOptions  *options,
               const char            *option,
               GError               **error)
{
  GPtrArray *inputs = options->asked->inputs;
  AttnInput *input = inputs->len > 0 ? inputs->pdata[inputs->len - 1] : NULL;

  if (input == NULL)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: found without an input before it, expected --text or --ids"),
                           option);
  if (input->target != NULL || input->target_ids != NULL)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: a second target of input %u found, expected one"), option,
                           inputs->len);
  return input;
}

static gboolean
parse_target_cb (const char  *option,
                 const char  *value,
                 gpointer     data,
                 GError     **error)
{
  AttnInput *input = find_targeted (data, option, error);

  if (input == NULL || !attn_text_check_utf8 (option, value, strlen (value), error))
    return FALSE;
  input->target = g_strdup (value);
  return TRUE;
}

static gboolean
parse_target_ids_cb (const char  *option,
                     const char  *value,
                     gpointer     data,
                     GError     **error)
{
  AttnInput *input = find_targeted (data, option, error);
  AttnInput *ids = input != NULL ? attn_input_parse_ids (value, error) : NULL;

  if (ids == NULL)
    return input != NULL ? finish (FALSE, option, error) : FALSE;
  input->target_ids = g_steal_pointer (&ids->ids);
  input->n_target_ids = ids->n_ids;
  attn_input_free (ids);
  return TRUE;
}

/* Parses --language or --task, which apply to the sound before it on the command line. */
static gboolean
parse_spoken_cb (const char  *option,
                 const char  *value,
                 gpointer     data,
                 GError     **error)
{
  AttnCliOptions *options = data;
  GPtrArray *inputs = options->asked->inputs;
  AttnInput *input = inputs->len > 0 ? inputs->pdata[inputs->len - 1] : NULL;

  if (input == NULL || !attn_input_is_sound (input))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: found without a sound before it, expected --audio or --features"),
                      option);
  if (!attn_text_check_utf8 (option, value, strlen (value), error))
    return FALSE;
  char **member = g_str_has_suffix (option, "task") ? &input->task : &input->language;
  g_free (*member);
  *member = g_strdup (value);
  return TRUE;
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

/* Parses --mean or --zero, whose value is the name of a component. */
static gboolean
parse_operation_cb (const char  *option,
                    const char  *value,
                    gpointer     data,
                    GError     **error)
{
  AttnCliOptions *options = data;
  gboolean is_zero = g_str_equal (option, "--zero");
  AttnComponent component;

  if (!finish (attn_text_parse_name (attn_component_names, value, &component, error), option,
               error))
    return FALSE;
  g_ptr_array_add (options->operations,
                   attn_intervention_new (component,
                                          is_zero ? ATTN_OPERATION_ZERO : ATTN_OPERATION_MEAN,
                                          ATTN_SITE_PROJECTION));
  return TRUE;
}

/* Parses the value of --patch, COMPONENT=INPUT or COMPONENT=INPUT:FROM=TO,... */
static gboolean
parse_patch_cb (const char  *option,
                const char  *value,
                gpointer     data,
                GError     **error)
{
  AttnCliOptions *options = data;
  const char *sign = strchr (value, '=');
  const char *colon = sign != NULL ? strchr (sign, ':') : NULL;
  g_autofree char *name = sign != NULL ? g_strndup (value, sign - value) : NULL;
  const char *rest = sign != NULL ? sign + 1 : "";
  g_autofree char *input = colon != NULL ? g_strndup (rest, colon - rest) : g_strdup (rest);
  int number;
  AttnComponent component;

  if (!parse_number (input, &number))
    return fail_value (option, value,
                       _("a component and the number of an input, from 0, such as residual=1 or "
                         "residual=1:2=3"),
                       error);
  if (!finish (attn_text_parse_name (attn_component_names, name, &component, error), option, error))
    return FALSE;
  g_autoptr (AttnIntervention) patch =
      attn_intervention_new (component, ATTN_OPERATION_PATCH, ATTN_SITE_PROJECTION);
  patch->input = number;
  if (colon != NULL && (patch->pairs = attn_pairs_parse (colon + 1, error)) == NULL)
    return finish (FALSE, option, error);
  g_ptr_array_add (options->operations, g_steal_pointer (&patch));
  return TRUE;
}

static gboolean
parse_positions (const char    *text,
                 AttnIndexSet **set,
                 GError       **error)
{
  *set = NULL;
  return g_str_equal (text, "all") || (*set = attn_index_set_parse (text, error)) != NULL;
}

/* Parses the value of --cut, QUERIES=KEYS, such as 5-9=0 or all=2. */
static gboolean
parse_cut_cb (const char  *option,
              const char  *value,
              gpointer     data,
              GError     **error)
{
  AttnCliOptions *options = data;
  g_auto (GStrv) sides = g_strsplit (value, "=", -1);
  g_autoptr (AttnIndexSet) queries = NULL;
  g_autoptr (AttnIndexSet) keys = NULL;

  if (g_strv_length (sides) != 2)
    return fail_value (option, value, _("positions QUERIES=KEYS such as 5-9=0 or all=2"), error);
  if (!parse_positions (sides[0], &queries, error) || !parse_positions (sides[1], &keys, error))
    return finish (FALSE, option, error);
  g_ptr_array_add (options->operations, attn_intervention_new_cut (g_steal_pointer (&queries),
                                                                   g_steal_pointer (&keys)));
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
  if (!finish (attn_text_parse_name (attn_component_names, name, &component, error), option,
               error) ||
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

  g_array_set_size (options->asked->epsilons, 0);
  for (char **part = parts; *part != NULL; part++)
    {
      double epsilon;

      if (!parse_epsilon (option, *part, &epsilon, error))
        return FALSE;
      g_array_append_val (options->asked->epsilons, epsilon);
    }
  return options->asked->epsilons->len > 0 ||
         fail_value (option, value, _("factors such as 5e-1,1e-3"), error);
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

gboolean
attn_cli_parse_what_cb (const char  *option,
                        const char  *value,
                        gpointer     data,
                        GError     **error)
{
  AttnCliOptions *options = data;
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (whats); i++)
    {
      if (g_str_equal (value, whats[i].name))
        {
          options->what = &whats[i];
          return TRUE;
        }
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", whats[i].name);
    }
  return fail_value (option, value, names->str, error);
}

/* Parses the value of --edge, QUERY=KEY, such as 5=0. */
gboolean
attn_cli_parse_edge_cb (const char  *option,
                        const char  *value,
                        gpointer     data,
                        GError     **error)
{
  AttnCliOptions *options = data;
  g_auto (GStrv) sides = g_strsplit (value, "=", -1);

  options->has_edge = TRUE;
  return (g_strv_length (sides) == 2 && parse_number (sides[0], &options->edge[0]) &&
          parse_number (sides[1], &options->edge[1])) ||
         fail_value (option, value, _("positions QUERY=KEY such as 5=0"), error);
}

/**
 * attn_cli_options_is_of_pass:
 *
 * Returns: whether the option named @setting also works without a figure, in `compute` or
 *   `generate`
 */
gboolean
attn_cli_options_is_of_pass (const char *setting)
{
  static const char * const names[] = { "attention", "continuation", "header", "layer", "head",
                                        "special-tokens", "chat", "axis", "site", "scope-layers",
                                        "scope-heads", "scope-tokens", "token", "versus", NULL };

  return g_strv_contains (names, setting);
}

/* Parses an option that changes one setting of the study. It is applied to a study without a figure
 * here, so that an invalid value is refused before anything is computed. */
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
  AttnStudy *study = attn_cli_options_is_of_pass (choice.setting->name) ? options->asked : empty;
  return finish (attn_cli_setting_apply (choice.setting, study, value, error), option, error);
}

#define OPTION(name, letter, callback, description, argument)                                    \
  {                                                                                              \
    name, letter, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, callback, description, argument \
  }

/**
 * attn_cli_options_list_entries:
 * @options: where the options store their values; also the user data of their callbacks
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
    OPTION ("model", 0, parse_model_cb,
            N_("Checkpoint directory or file, or FILE:NAME for one of its arrays; default: the "
                "model that ships with the program"),
            "PATH"),
    { "adapter", 0, 0, G_OPTION_ARG_FILENAME, &options->asked->model.adapter,
      N_("Folder of a LoRA adapter that changes the model; without --model, its own is looked for"),
      "DIR" },
    OPTION ("text", 0, parse_text_cb, N_("An input; repeat for several"), "TEXT"),
    OPTION ("text-file", 0, parse_text_file_cb,
            N_("One input a line, of a .fasta one a sequence; empty ones are left out"), "FILE"),
    OPTION ("ids", 0, parse_ids_cb, N_("An input as token ids, used as they are"), "2,17,5"),
    OPTION ("image", 0, parse_picture_cb,
            N_("A picture, prepared as the checkpoint’s preprocessor_config.json says; "
                "repeat for several, of which all before a --text are in that"),
            "FILE"),
    OPTION ("pixels", 0, parse_picture_cb,
            N_("A picture as an array [channels, height, width], as the model takes it; "
                "repeat for several"),
            "FILE.npy"),
    OPTION ("audio", 0, parse_sound_cb,
            N_("A sound, prepared as the checkpoint’s preprocessor_config.json says; "
                "repeat for several"),
            "FILE.wav"),
    OPTION ("features", 0, parse_sound_cb,
            N_("A sound as an array [mel bins, frames], as the model takes it; "
                "repeat for several"),
            "FILE.npy"),
    OPTION ("target", 0, parse_target_cb,
            N_("The text that the decoder reads, for the input before; default: the model’s own "
                "answer"),
            "TEXT"),
    OPTION ("target-ids", 0, parse_target_ids_cb,
            N_("The same as token ids, used as they are"), "0,17,5"),
    OPTION ("language", 0, parse_spoken_cb,
            N_("The language spoken in the sound before; default: the one that the model hears"),
            "en"),
    OPTION ("task", 0, parse_spoken_cb,
            N_("Whether the words of the sound before are written down or translated into English"),
            "transcribe|translate"),
    OPTION ("mean", 0, parse_operation_cb,
            N_("Replace query, key or value by its mean; repeatable"), "COMPONENT"),
    OPTION ("scale", 0, parse_scale_cb, N_("Multiply query, key or value by ε; repeatable"),
            "COMPONENT=ε"),
    OPTION ("zero", 0, parse_operation_cb, N_("Replace query, key or value by 0; repeatable"),
            "COMPONENT"),
    OPTION ("patch", 0, parse_patch_cb,
            N_("Replace a component by that of another input, counted from 0; repeatable"),
            "COMPONENT=INPUT[:FROM=TO,...]"),
    OPTION ("cut", 0, parse_cut_cb, N_("Keep queries from seeing keys; repeatable"),
            "QUERIES=KEYS"),
    OPTION ("epsilons", 0, parse_epsilons_cb, N_("The values of ε in a figure that has several"),
            "5e-1,1e-3,1e-10"),
    OPTION ("threads", 0, parse_threads_cb, N_("How many threads compute"), "N"),
  };
  GArray *entries = g_array_new (TRUE, FALSE, sizeof (GOptionEntry));

  g_array_append_vals (entries, fixed, G_N_ELEMENTS (fixed));
  attn_cli_settings_add_entries (entries, parse_setting_cb);
  return entries;
}

/**
 * attn_cli_options_list_some:
 * @options: where the options store their values; also the user data of their callbacks
 * @own: (array zero-terminated=1): options that only the subcommand has
 * @names: (array zero-terminated=1): names of the shared options that the subcommand has, too
 *
 * Returns: (transfer full) (element-type GOptionEntry): all options of the subcommand,
 *   zero-terminated
 */
GArray *
attn_cli_options_list_some (AttnCliOptions     *options,
                            const GOptionEntry *own,
                            const char * const *names)
{
  g_autoptr (GArray) all = attn_cli_options_list_entries (options);
  GArray *entries = g_array_new (TRUE, FALSE, sizeof (GOptionEntry));

  for (; own->long_name != NULL; own++)
    g_array_append_val (entries, *own);
  for (guint i = 0; i < all->len; i++)
    if (g_strv_contains (names, g_array_index (all, GOptionEntry, i).long_name))
      g_array_append_val (entries, g_array_index (all, GOptionEntry, i));
  return entries;
}

/**
 * attn_cli_options_has_operation:
 *
 * Returns: whether the option of @operation (--mean, --scale, --zero, --patch or --cut) was given
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
 * attn_cli_options_patches_from:
 *
 * Returns: whether a --patch takes its values from the input with the number @input, counted from 0
 */
gboolean
attn_cli_options_patches_from (const AttnCliOptions *options,
                               gsize                 input)
{
  for (guint i = 0; i < options->operations->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (options->operations, i);

      if (intervention->operation == ATTN_OPERATION_PATCH && intervention->input == input)
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_cli_options_count:
 * @setting: name of an option that changes one setting of the study, without dashes
 *
 * Returns: how often the option was given
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
 * attn_cli_options_is_own:
 * @asked: intervention of --mean, --scale, --zero, --patch or --cut
 *
 * Returns: whether the study's own operation, which its grid varies, is the same as that of @asked,
 *   apart from axis, site and scope; a patch must take from the same input, and a cut have the same
 *   queries and keys
 */
gboolean
attn_cli_options_is_own (const AttnStudy        *study,
                         const AttnIntervention *asked)
{
  if (asked->operation != study->operation)
    return FALSE;
  if (asked->operation == ATTN_OPERATION_CUT)
    return attn_index_set_equal (asked->keys, study->cut_keys) &&
           attn_index_set_equal (asked->tokens, study->scope_tokens);
  return asked->component < ATTN_N_COMPONENTS &&
         (asked->operation != ATTN_OPERATION_PATCH ||
          (asked->input == study->patch_input &&
           attn_pairs_equal (asked->pairs, study->patch_pairs)));
}

/**
 * attn_cli_options_build:
 * @study: (nullable): study whose own operation is left out
 * @default_layers: (nullable): the layers to act on by default, if --scope-layers was not given;
 *   %NULL for all
 * @default_heads: (nullable): the heads that "--scope-heads shown" means; %NULL for all
 *
 * Returns: (transfer full) (element-type AttnIntervention): the interventions of the command line,
 *   with axis, site and scope
 */
GPtrArray *
attn_cli_options_build (const AttnCliOptions *options,
                        const AttnStudy      *study,
                        AttnIndexSet         *default_layers,
                        AttnIndexSet         *default_heads)
{
  GPtrArray *interventions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  const AttnStudy *place = options->asked;

  for (guint i = 0; i < options->operations->len; i++)
    {
      const AttnIntervention *asked = g_ptr_array_index (options->operations, i);

      if (study != NULL && attn_cli_options_is_own (study, asked))
        continue;
      AttnIntervention *intervention = attn_intervention_copy (asked);
      intervention->axis = place->axis;
      if (asked->operation != ATTN_OPERATION_CUT)
        intervention->site = place->site;
      intervention->layers =
          attn_index_set_ref (place->acts_on_shown_layer ? default_layers : place->scope_layers);
      intervention->heads =
          attn_index_set_ref (place->acts_on_shown_head ? default_heads : place->scope_heads);
      if (asked->operation != ATTN_OPERATION_CUT)
        intervention->tokens = attn_index_set_ref (place->scope_tokens);
      g_ptr_array_add (interventions, intervention);
    }
  return interventions;
}

/**
 * attn_cli_options_check_head:
 * @has_head: whether the array or figure shows a single head
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: %FALSE for "--scope-heads shown" without a single head on display
 */
gboolean
attn_cli_options_check_head (const AttnCliOptions  *options,
                             gboolean               has_head,
                             GError               **error)
{
  return has_head || !options->asked->acts_on_shown_head ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--scope-heads: “shown” found, expected all or numbers such as 0,2-5, since "
                      "no single head is on display"));
}
