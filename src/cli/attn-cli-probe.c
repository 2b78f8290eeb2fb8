/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid probe`: trains probes that tell right from wrong answers, for each layer and
 * token. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-interrupt.h"
#include "attn-cli-options.h"
#include "attn-cli-output.h"
#include "attn-cli-private.h"
#include "attn-error.h"
#include "attn-probe-file.h"
#include "attn-text.h"
#include "attn-workspace.h"

/* Values of the options that only the subcommand `probe` has. */
typedef struct
{
  char *table;
  char *validation;
  char *columns[ATTN_PROBE_N_COLUMNS];
  char *quantity;
  char *folds;
  char *seed;
} Own;

static void
clear_own (Own *own)
{
  g_free (own->table);
  g_free (own->validation);
  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    g_free (own->columns[i]);
  g_free (own->quantity);
  g_free (own->folds);
  g_free (own->seed);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Own, clear_own)

/* -- From options to what is asked for -- */

/* Parses the number that an option has. @text: (nullable): value of the option; %NULL leaves
 * @number unchanged */
static gboolean
parse_number (const char  *option,
              const char  *text,
              guint64      minimum,
              guint64      maximum,
              guint64     *number,
              GError     **error)
{
  if (text == NULL || g_ascii_string_to_unsigned (text, 10, minimum, maximum, number, NULL))
    return TRUE;

  g_autofree char *display = g_filename_display_name (text);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: “%s” found, expected a number from %zu to %zu"), option, display,
                    (gsize) minimum, (gsize) maximum);
}

static gboolean
parse_quantity (const char         *text,
                AttnProbeQuantity  *quantity,
                GError            **error)
{
  if (text == NULL)
    return TRUE;
  for (*quantity = 0; *quantity < ATTN_N_PROBE_QUANTITIES; (*quantity)++)
    if (g_str_equal (text, attn_probe_quantity_names[*quantity]))
      return TRUE;

  g_autofree char *display = g_filename_display_name (text);
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: “%s” found, expected %s"), "--quantity",
                    display, _("mlp, attention or residual"));
}

static gboolean
parse_columns (const Own      *own,
               AttnProbeSpec  *spec,
               GError        **error)
{
  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    {
      if (own->columns[i] == NULL)
        continue;
      if (!attn_text_check_utf8 (attn_probe_column_names[i], own->columns[i],
                                 strlen (own->columns[i]), error))
        return FALSE;
      g_free (spec->columns[i]);
      spec->columns[i] = g_strdup (own->columns[i]);
    }
  return TRUE;
}

static gboolean
parse (const Own             *own,
       const AttnCliOptions  *options,
       AttnProbeSpec         *spec,
       GError               **error)
{
  guint64 n_folds = spec->n_folds;
  guint64 seed = spec->seed;

  if (own->table == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("probe: no --table found, expected --table ANSWERS.csv"));
  if (own->validation != NULL && own->folds != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--folds and --validation found, expected one of them"));
  for (guint i = 0; i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];

      if (!attn_text_has_suffix (target->name, ".npz"))
        return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: “%s” found, expected %s"), "-o",
                          target->name, "FILE.npz");
    }
  if (!parse_quantity (own->quantity, &spec->quantity, error) ||
      !parse_number ("--folds", own->folds, 2, ATTN_PROBE_MAX_FOLDS, &n_folds, error) ||
      !parse_number ("--seed", own->seed, 0, G_MAXUINT32, &seed, error) ||
      !parse_columns (own, spec, error))
    return FALSE;
  spec->table = g_strdup (own->table);
  spec->validation = g_strdup (own->validation);
  spec->n_folds = (gsize) n_folds;
  spec->seed = (guint32) seed;
  spec->framing = attn_study_get_framing (options->asked);
  return TRUE;
}

/* -- Running -- */

/* Computes the probes and writes the results to all outputs; writes nothing after an interrupt.
 * Returns: the exit status */
static int
run (const AttnProbeSpec  *spec,
     AttnModel            *model,
     const AttnCliOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AttnCliInterrupt *interrupt = attn_cli_interrupt_new (cancellable);
  g_autoptr (AttnProbe) probe =
      attn_probe_run (spec, model, attn_cli_get_progress (), cancellable, &error);

  attn_cli_interrupt_free (interrupt);
  attn_cli_end_progress ();
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return ATTN_CLI_INTERRUPTED;
  if (probe == NULL)
    return attn_cli_fail (error);
  for (guint i = 0; i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];
      g_autoptr (GBytes) bytes = attn_probe_serialize (probe, target->name, &error);

      if (bytes == NULL || !attn_cli_output_write (target, bytes, &error))
        return attn_cli_fail (error);
    }
  return ATTN_CLI_SUCCESS;
}

static int
probe (const Own      *own,
       AttnCliOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_auto (AttnProbeSpec) spec = { 0 };
  int status;

  attn_probe_spec_init (&spec);
  if (!attn_cli_output_set_format (options, "npz", &error) ||
      !parse (own, options, &spec, &error))
    return attn_cli_fail_usage ("%s", error->message);
  if (!attn_cli_output_begin ("probe", options, &status))
    return status;
  AttnModel *model = attn_workspace_open_model (workspace, &options->asked->model, NULL, &error);
  return model != NULL ? run (&spec, model, options) : attn_cli_fail (error);
}

int
attn_cli_probe (int    argc,
                char **argv)
{
  static const char * const shared[] = { "output", "model", "adapter", "special-tokens", "chat",
                                         "threads", NULL };
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  g_auto (Own) own = { NULL };
  const GOptionEntry own_entries[] = {
    { "table", 0, 0, G_OPTION_ARG_FILENAME, &own.table,
      N_("A table of questions, answers and whether they are right: .csv or .tsv"), "FILE" },
    { "question-column", 0, 0, G_OPTION_ARG_FILENAME, &own.columns[ATTN_PROBE_COLUMN_QUESTION],
      N_("What the first row calls the questions; default: question"), "NAME" },
    { "answer-column", 0, 0, G_OPTION_ARG_FILENAME, &own.columns[ATTN_PROBE_COLUMN_ANSWER],
      N_("The same of the answers; default: answer"), "NAME" },
    { "exact-answer-column", 0, 0, G_OPTION_ARG_FILENAME,
      &own.columns[ATTN_PROBE_COLUMN_EXACT_ANSWER],
      N_("The same of the part that matters of each answer; default: exact_answer"), "NAME" },
    { "label-column", 0, 0, G_OPTION_ARG_FILENAME, &own.columns[ATTN_PROBE_COLUMN_LABEL],
      N_("The same of the labels, 0 or 1; default: label"), "NAME" },
    { "quantity", 0, 0, G_OPTION_ARG_FILENAME, &own.quantity,
      N_("What is probed: what the mlp or the attention of each layer adds, or the residual "
          "stream; default: mlp"),
      "mlp|attention|residual" },
    { "folds", 0, 0, G_OPTION_ARG_FILENAME, &own.folds,
      N_("Number of folds of the cross-validation; default 5"), "N" },
    { "validation", 0, 0, G_OPTION_ARG_FILENAME, &own.validation,
      N_("A table to test on, after training on all of --table, instead of folds"), "FILE" },
    { "seed", 0, 0, G_OPTION_ARG_FILENAME, &own.seed,
      N_("Seed of the folds and of the intervals; default 0"), "S" },
    { NULL },
  };
  g_autoptr (GArray) entries = attn_cli_options_list_some (options, own_entries, shared);
  const AttnCliSyntax syntax = {
    .subcommand = "probe",
    .operands = "",
    .summary = _("Finds out in which layers and tokens a linear probe tells right from wrong "
                 "answers."),
    .description = _(
        "In each layer and at each role of a token in question and answer, a logistic regression "
        "(L2 penalty, C = 1, free intercept, float64) is fitted to the vector that stands there. "
        "The file holds auc, auc_low, auc_high, accuracy, accuracy_low and accuracy_high [layers, "
        "roles]: means over the folds, and the percentiles 2.5 and 97.5 of 1000 bootstrap "
        "draws; rows, how many rows have a token of each role and are tested; fold and label of "
        "each row, which give other programs the same folds; row_labels and column_labels. "
        "“attention-grid render FILE.npz -o FIGURE.svg” draws it, FILE.npz:accuracy the accuracy. "
        "A row whose exact answer is not in its answer is an error that names it."),
    .entries = (const GOptionEntry *) (gpointer) entries->data,
    .user_data = options,
  };
  g_auto (GStrv) operands = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);

  return status == ATTN_CLI_CONTINUE ? probe (&own, options) : status;
}
