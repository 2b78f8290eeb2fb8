/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes the command line for a study by trial: the command line itself makes a study from the
 * words so far, and a word is kept if that study comes nearer to the wanted one. So this file need
 * not know which other settings an option changes. Settings without an option are set by --set. */

#include "config.h"

#include "attn-cli.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "attn-cli-options.h"
#include "attn-cli-study.h"
#include "attn-json.h"

#define PROGRAM "attention-grid"

/**
 * Command:
 * @study: the wanted study
 * @preset: name of the preset that the command line begins with
 * @words: (element-type utf8): options and their values so far
 * @drawn: the study that the words so far make
 * @n_missing: number of settings in which @drawn differs from @study
 */
typedef struct
{
  const AttnStudy *study;
  const char *preset;
  GPtrArray *words;
  AttnStudy *drawn;
  guint n_missing;
} Command;

/* Tells whether two studies would be saved with the same value of a setting. Fingerprints of models
 * are ignored, as they follow from the model that is opened. */
static gboolean
is_same (const AttnField *field,
         const AttnStudy *a,
         const AttnStudy *b)
{
  if (g_str_equal (field->name, "model.fingerprint"))
    return TRUE;
  g_autofree char *first = attn_study_write_setting (a, field);
  g_autofree char *second = attn_study_write_setting (b, field);
  return g_str_equal (first, second);
}

static guint
count_missing (const AttnStudy *study,
               const AttnStudy *drawn)
{
  const AttnRecord *record = attn_study_get_record ();
  guint n = 0;

  for (gsize i = 0; i < record->n_fields; i++)
    n += !is_same (&record->fields[i], study, drawn);
  return n;
}

/* Returns the study that a command line makes; %NULL if the command line is refused, or has
 * interventions that are added only after the model is opened. (transfer full) (nullable) */
static AttnStudy *
draw (const char      *preset,
      const GPtrArray *words)
{
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  g_autoptr (GArray) entries = attn_cli_options_list_entries (options);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, options, NULL);
  g_auto (GStrv) line = g_new0 (char *, words->len + 2);
  g_autoptr (AttnStudy) study = attn_presets_load (preset, NULL);

  line[0] = g_strdup (PROGRAM);
  for (guint i = 0; i < words->len; i++)
    line[i + 1] = g_strdup (words->pdata[i]);
  g_option_group_add_entries (group, (const GOptionEntry *) entries->data);
  g_option_context_set_main_group (context, group);
  g_option_context_set_help_enabled (context, FALSE);
  if (study == NULL || !g_option_context_parse_strv (context, &line, NULL) ||
      !attn_cli_study_apply (study, options, NULL))
    return NULL;

  g_autoptr (GPtrArray) extra = attn_cli_study_list_extra (study, options);
  return extra->len == 0 ? g_steal_pointer (&study) : NULL;
}

/* Adds @words to the command line if the study that the command line makes is then nearer to the
 * wanted study. */
static gboolean
try_words (Command            *command,
           const char * const *words)
{
  guint n_before = command->words->len;

  for (const char * const *word = words; *word != NULL; word++)
    g_ptr_array_add (command->words, g_strdup (*word));
  g_autoptr (AttnStudy) drawn = draw (command->preset, command->words);
  guint n = drawn != NULL ? count_missing (command->study, drawn) : G_MAXUINT;
  if (n < command->n_missing)
    {
      attn_study_unref (command->drawn);
      command->drawn = g_steal_pointer (&drawn);
      command->n_missing = n;
      return TRUE;
    }
  g_ptr_array_set_size (command->words, (int) n_before);
  return FALSE;
}

static gboolean
try_option (Command    *command,
            const char *option,
            const char *value)
{
  g_autofree char *name = g_strconcat ("--", option, NULL);
  const char * const words[] = { name, value, NULL };

  return try_words (command, words);
}

static void
add_word (GPtrArray *words,
          char      *word)
{
  g_ptr_array_add (words, word);
}

/* Formats numbers as the value of an option, such as "1,2,5" or "0.5,0.1". */
static char *
join_numbers (const GArray *numbers)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "",
                            g_ascii_dtostr (buffer, sizeof buffer,
                                            g_array_index (numbers, double, i)));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
join_ids (const guint32 *ids,
          gsize          n_ids)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < n_ids; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? "," : "", ids[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Appends the options of an input, such as --text or --ids, and their values; the options of a
 * picture stand before the text that it is in. */
static void
add_input (GPtrArray       *words,
           const AttnInput *input)
{
  const struct
  {
    const char *option;
    const char *value;
  } kinds[] = {
    { "--audio", input->audio },
    { "--features", input->features },
    { "--text", input->text },
  };

  const char * const *pictures = attn_input_get_pictures (input);
  for (gsize i = 0; pictures != NULL && pictures[i] != NULL; i++)
    {
      add_word (words, g_strdup (input->pixels != NULL ? "--pixels" : "--image"));
      add_word (words, g_strdup (pictures[i]));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].value != NULL)
      {
        add_word (words, g_strdup (kinds[i].option));
        add_word (words, g_strdup (kinds[i].value));
      }
  if (input->ids == NULL)
    return;
  add_word (words, g_strdup ("--ids"));
  add_word (words, join_ids (input->ids, input->n_ids));
}

/* Appends an option and its value, unless the value is %NULL. */
static void
add_option (GPtrArray  *words,
            const char *option,
            const char *value)
{
  if (value == NULL)
    return;
  add_word (words, g_strdup (option));
  add_word (words, g_strdup (value));
}

static void
try_inputs (Command *command)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < command->study->inputs->len; i++)
    {
      const AttnInput *input = g_ptr_array_index (command->study->inputs, i);

      add_input (words, input);
      add_option (words, "--language", input->language);
      add_option (words, "--task", input->task);
      if (input->target == NULL && input->target_ids == NULL)
        continue;
      add_word (words, g_strdup (input->target != NULL ? "--target" : "--target-ids"));
      add_word (words, input->target != NULL
                           ? g_strdup (input->target)
                           : join_ids (input->target_ids, input->n_target_ids));
    }
  g_ptr_array_add (words, NULL);
  try_words (command, (const char * const *) words->pdata);
}

static void
try_other_models (Command *command)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < command->study->other_models->len; i++)
    {
      const AttnModelReference *model = g_ptr_array_index (command->study->other_models, i);

      add_word (words, g_strdup ("--with-model"));
      add_word (words, g_strdup (model->path));
    }
  g_ptr_array_add (words, NULL);
  try_words (command, (const char * const *) words->pdata);
}

/* Tries the option of the study's operation (such as --mean, or --scale with the first ε) for each
 * chosen component. */
static void
try_components (Command *command)
{
  const AttnStudy *study = command->study;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE] = "";
  const char *sign = "";

  if (study->operation == ATTN_OPERATION_SCALE && study->epsilons->len > 0)
    {
      g_ascii_dtostr (buffer, sizeof buffer, g_array_index (study->epsilons, double, 0));
      sign = "=";
    }
  for (AttnComponent i = 0; i < ATTN_N_COMPONENTS; i++)
    if (study->components[i])
      {
        add_word (words, g_strconcat ("--", attn_operation_names[study->operation], NULL));
        add_word (words, g_strconcat (attn_component_names[i], sign, buffer, NULL));
      }
  g_ptr_array_add (words, NULL);
  try_words (command, (const char * const *) words->pdata);
}

static void
try_range (Command *command)
{
  const AttnStyle *style = &command->study->style;
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (low, sizeof low, style->low);
  g_ascii_dtostr (high, sizeof high, style->high);
  g_autofree char *ends = g_strconcat (low, ":", high, NULL);
  try_option (command, "range",
              style->range == ATTN_RANGE_FIXED ? ends : attn_range_kind_names[style->range]);
}

static void
try_epsilons (Command *command)
{
  g_autofree char *numbers = join_numbers (command->study->epsilons);

  try_option (command, "epsilons", numbers);
}

static void
try_size (Command *command)
{
  const AttnExportOptions *page = &command->study->page;
  char width[G_ASCII_DTOSTR_BUF_SIZE], height[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (width, sizeof width, page->width);
  g_ascii_dtostr (height, sizeof height, page->height);
  g_autofree char *size = g_strconcat (width, page->height > 0 ? "x" : "",
                                       page->height > 0 ? height : "", attn_unit_names[page->unit],
                                       NULL);
  try_option (command, "size", size);
}

/* Settings whose values have another form in options than in the file of a study. */
static const struct
{
  const char *name;
  void (*try) (Command *command);
} by_hand[] = {
  { "other-models", try_other_models },
  { "inputs", try_inputs },
  { "operation", try_components },
  { "components", try_components },
  { "epsilons", try_epsilons },
  { "style.low", try_range },
  { "style.high", try_range },
  { "style.range", try_range },
  { "page.width", try_size },
  { "page.unit", try_size },
};

/* Tries the option of a setting that is on or off: the option itself, its opposite such as
 * --no-words, or with the value "on" or "off". */
static void
try_flag (Command         *command,
          const AttnField *field,
          gboolean         value)
{
  gboolean is_off = g_str_has_prefix (field->option, "no-");
  g_autofree char *opposite =
      is_off ? g_strdup (field->option + 3) : g_strconcat ("no-", field->option, NULL);

  if (!try_option (command, value != is_off ? field->option : opposite, NULL))
    try_option (command, field->option, value ? "on" : "off");
}

/* Tries the option of a setting with the value that the file of the study has: words and numbers as
 * they are, lists separated by commas. */
static void
try_value (Command         *command,
           const AttnField *field)
{
  g_autofree char *json = attn_study_write_setting (command->study, field);
  g_autoptr (JsonNode) node = attn_json_parse (field->name, json, -1, NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  if (node == NULL || JSON_NODE_HOLDS_NULL (node) || JSON_NODE_HOLDS_OBJECT (node))
    return;
  if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    {
      try_flag (command, field, json_node_get_boolean (node));
      return;
    }
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    g_string_assign (text, json_node_get_string (node));
  else if (JSON_NODE_HOLDS_VALUE (node))
    g_string_assign (text, json);
  for (guint i = 0;
       JSON_NODE_HOLDS_ARRAY (node) && i < json_array_get_length (json_node_get_array (node)); i++)
    {
      JsonNode *element = json_array_get_element (json_node_get_array (node), i);

      if (json_node_get_value_type (element) == G_TYPE_STRING)
        g_string_append_printf (text, "%s%s", i > 0 ? "," : "", json_node_get_string (element));
    }
  try_option (command, field->option, text->str);
}

static void
try_field (Command         *command,
           const AttnField *field)
{
  for (gsize i = 0; i < G_N_ELEMENTS (by_hand); i++)
    if (g_str_equal (by_hand[i].name, field->name))
      {
        by_hand[i].try (command);
        return;
      }
  if (field->option != NULL)
    try_value (command, field);
}

/* Adds --set NAME=JSON for each setting in which the two studies still differ, with its name and
 * value as in the file of a study. */
static void
set_rest (Command *command)
{
  const AttnRecord *record = attn_study_get_record ();
  g_autoptr (AttnStudy) drawn = draw (command->preset, command->words);

  for (gsize i = 0; drawn != NULL && i < record->n_fields; i++)
    if (!is_same (&record->fields[i], command->study, drawn))
      {
        g_autofree char *json = attn_study_write_setting (command->study, &record->fields[i]);

        add_word (command->words, g_strdup ("--set"));
        add_word (command->words, g_strconcat (record->fields[i].name, "=", json, NULL));
      }
  g_clear_pointer (&drawn, attn_study_unref);
  drawn = draw (command->preset, command->words);
  command->n_missing = drawn != NULL ? count_missing (command->study, drawn) : G_MAXUINT;
}

/* Finds the preset that @study was made from, or else the one that differs in the fewest
 * settings. */
static const char *
find_preset (const AttnStudy *study)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  const char *nearest = NULL;
  guint n_least = G_MAXUINT;

  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (AttnStudy) preset = attn_presets_load (presets[i].name, NULL);
      guint n = preset == NULL                                    ? G_MAXUINT
                : g_strcmp0 (presets[i].name, study->preset) == 0 ? 0
                                                                  : count_missing (study, preset);

      if (nearest == NULL || n < n_least)
        {
          nearest = presets[i].name;
          n_least = n;
        }
    }
  return nearest;
}

static void
append_word (GString    *line,
             const char *word)
{
  gsize n_plain = strspn (word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_./:=,@%+-");
  g_autofree char *quoted = n_plain == 0 || word[n_plain] != '\0' ? g_shell_quote (word) : NULL;

  if (line->len > 0)
    g_string_append_c (line, ' ');
  g_string_append (line, quoted != NULL ? quoted : word);
}

/**
 * attn_cli_print_command:
 *
 * Returns: (transfer full): a command line for a shell that draws @study into figure.svg
 */
char *
attn_cli_print_command (const AttnStudy *study)
{
  return attn_cli_print_command_to (study, "figure.svg");
}

/**
 * attn_cli_print_command_to:
 * @file: name of the file to draw into, UTF-8, with the suffix of a format of figures
 *
 * Returns: (transfer full): a command line for a shell that draws @study into @file
 */
char *
attn_cli_print_command_to (const AttnStudy *study,
                           const char      *file)
{
  const AttnRecord *record = attn_study_get_record ();
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  Command command = { study, find_preset (study), words, NULL, 0 };
  GString *line = g_string_new (NULL);

  command.drawn = draw (command.preset, words);
  command.n_missing = command.drawn != NULL ? count_missing (study, command.drawn) : 0;
  for (gsize i = 0; i < record->n_fields && command.n_missing > 0; i++)
    if (!is_same (&record->fields[i], study, command.drawn))
      try_field (&command, &record->fields[i]);
  g_clear_pointer (&command.drawn, attn_study_unref);
  set_rest (&command);
  if (command.n_missing > 0)
    {
      /* If settings still differ, an option undoes what --set does: all settings are then set by
       * --set. */
      g_ptr_array_set_size (words, 0);
      set_rest (&command);
    }

  append_word (line, PROGRAM);
  append_word (line, "render");
  append_word (line, command.preset);
  for (guint i = 0; i < words->len; i++)
    append_word (line, words->pdata[i]);
  append_word (line, "-o");
  append_word (line, file);
  return g_string_free (line, FALSE);
}
