/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-strip.h"

#include <glib/gi18n.h>

#include "attn-attention-choice.h"
#include "attn-cell.h"
#include "attn-edits.h"
#include "attn-epsilon-row.h"
#include "attn-operation-list.h"
#include "attn-patch-pairs.h"
#include "attn-place-number.h"
#include "attn-signal.h"
#include "attn-strip-line.h"
#include "attn-template.h"
#include "attn-tooltip.h"

/* The space between the two lines of the strip, pixels. */
#define LINE_GAP 6

struct _AttnStrip
{
  GtkWidget parent_instance;

  AttnSession *session;
  AttnBinder *binder;
  AttnStripLine *line;
  AttnIndexSet *mapped; /* (nullable): layers with attention weights in the list of layers */
  gboolean shows_baseline;

  /* Template widgets */
  GtkWidget *operation_group;
  GtkWidget *component_group;
  GtkWidget *reach;
  GtkWidget *reach_label;
  GtkStack *parameter;
  AttnEpsilonRow *epsilons;
};

enum
{
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnStrip, attn_strip, GTK_TYPE_WIDGET)

/* --- The two lines of the strip --------------------------------------------------------------- */

static void
attn_strip_measure (GtkWidget      *widget,
                    GtkOrientation  orientation,
                    int             for_size,
                    int            *minimum,
                    int            *natural,
                    int            *minimum_baseline,
                    int            *natural_baseline)
{
  AttnStrip *self = ATTN_STRIP (widget);
  int least, wanted;

  gtk_widget_measure (GTK_WIDGET (self->parameter), orientation, -1, &least, &wanted, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      int line = attn_strip_line_measure_height (self->line);

      *minimum = line + LINE_GAP + least;
      *natural = line + LINE_GAP + wanted;
    }
  else
    {
      *minimum = MAX (attn_strip_line_measure_width (self->line, natural), least);
      *natural = MAX (*natural, wanted);
    }
}

static void
attn_strip_size_allocate (GtkWidget *widget,
                          int        width,
                          int        height,
                          int        baseline)
{
  AttnStrip *self = ATTN_STRIP (widget);
  int top = attn_strip_line_measure_height (self->line) + LINE_GAP;

  attn_strip_line_allocate (self->line, width);
  gtk_widget_size_allocate (GTK_WIDGET (self->parameter),
                            &(GtkAllocation) { 0, top, width, height - top }, -1);
}

/* --- What the strip shows of the study -------------------------------------------------------- */

static gpointer
find (AttnStrip  *self,
      const char *id)
{
  return attn_binder_find (self->binder, id);
}

/* Returns: (nullable): a sentence that says why no operation can be chosen for the figure; %NULL if
 * one can be */
static const char *
explain_parameter (AttnStrip       *self,
                   const AttnStudy *study)
{
  AttnModel *model = attn_session_get_model (self->session);
  const AttnModelInfo *info = model != NULL ? attn_model_get_info (model) : NULL;

  if (!attn_study_shows_operation (study) && attn_study_get_traits (study)->has_measure)
    return _("Heads are measured without any operation; what one does is the measure “Change to "
             "the baseline”");
  if (!attn_study_shows_operation (study))
    return _("Each cell of this figure is computed by itself: there is no operation to choose");
  if (info != NULL && info->n_surveyed > 0)
    return _("What was counted stays as it is; “New Survey…” counts something else");
  if (info != NULL && info->is_recording && !info->has_queries_and_keys &&
      !attn_study_has_operation (study))
    return _("What is in this file stays as it is: there is no operation to choose");
  return NULL;
}

/* Returns: (nullable): a sentence for a study without a chosen component, in which the operation
 * replaces nothing, or the outputs of heads instead; %NULL if there is nothing to say */
static const char *
explain_replacement (const AttnStudy *study)
{
  AttnOperation operation;

  if (attn_study_has_operation (study))
    return NULL;
  if (attn_study_measures_effect (study, &operation))
    return operation == ATTN_OPERATION_ZERO
               ? _("The output of one head after the other is replaced by 0")
               : NULL;
  return study->operation == ATTN_OPERATION_MEAN || study->operation == ATTN_OPERATION_ZERO
             ? _("Choose a component to replace: query, key or value")
             : NULL;
}

/* Returns the layer on display, or -1 if the program chooses the layer and no result with its
 * choice is there yet. */
static int
get_shown_layer (AttnStrip *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  int layer = attn_session_get_study (self->session)->layer;

  return layer < 0 && result != NULL ? (int) result->layer : layer;
}

static int
get_shown_head (AttnStrip *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  int head = attn_session_get_study (self->session)->head;

  return head == ATTN_HEAD_STRONGEST_SINK && result != NULL ? result->head : head;
}

/* Tells whether panels show single heads, not the mean over all heads. */
static gboolean
shows_a_head (AttnStrip       *self,
              const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_grid &&
         (attn_study_changes_along (study, ATTN_DIMENSION_HEAD) ||
          get_shown_head (self) != ATTN_HEAD_MEAN);
}

/* Enables the controls that the model can use; all of them while no model is open yet. */
static void
sync_model (AttnStrip       *self,
            const AttnStudy *study)
{
  AttnModel *model = attn_session_get_model (self->session);
  const AttnModelInfo *info = model != NULL ? attn_model_get_info (model) : NULL;
  gboolean has_intervention = attn_study_has_operation (study);
  /* A recording without queries and keys allows no intervention; but an intervention from another
   * model can be removed. */
  gboolean can_intervene = info == NULL || info->has_queries_and_keys || has_intervention;
  gboolean is_open = explain_parameter (self, study) == NULL;

  attn_tooltip_set_available (find (self, "site:normed"), info == NULL || info->has_query_key_norm,
                              _("After the norm of queries and keys"),
                              _("This model does not normalise its queries and keys"));
  attn_tooltip_set_available (find (self, "site:rotated"), info == NULL || info->has_rotary,
                              _("After the rotary embedding"),
                              _("This model has no rotary embedding"));
  attn_tooltip_set_available (
      find (self, "scope"), has_intervention,
      _("In which layers and heads and at which tokens the intervention acts"),
      _("Choose first what the intervention is applied to"));
  attn_tooltip_set_available (find (self, "scope.heads:shown"), shows_a_head (self, study),
                              _("Only the head on display, or its key head, whichever is shown"),
                              _("No single head is on display"));
  attn_tooltip_set_available (
      find (self, "scope.heads:shown:axis"), shows_a_head (self, study),
      _("As published: the mean over the heads takes the place of the head on display alone"),
      _("No single head is on display"));
  g_autofree char *no_column =
      g_strdup_printf ("%s: %s", _("Baseline as a column"),
                       attn_study_is_changed (study)
                           ? _("The columns of this figure do not share one baseline")
                           : _("Choose first what the intervention is applied to"));
  attn_tooltip_set_available (
      find (self, "baseline-column"), attn_study_takes_baseline_column (study),
      _("Baseline as a column: the first one, beside the others"), no_column);
  gtk_widget_set_sensitive (self->operation_group, can_intervene && is_open);
  gtk_widget_set_sensitive (self->component_group,
                            can_intervene && is_open && study->operation != ATTN_OPERATION_CUT);
  gtk_widget_set_sensitive (self->reach, is_open);
  /* In a recording an intervention in one layer does not change the others: an intervention in the
   * layer on display leaves no layers to choose. */
  gtk_widget_set_visible (find (self, "scope_layers_row"),
                          info == NULL || !info->is_recording || !study->acts_on_shown_layer);
  gtk_entry_set_placeholder_text (find (self, "scope.layers"),
                                  !attn_study_get_traits (study)->has_layer ? _("all")
                                                                            : _("the one shown"));
}

static void
append_part (GString            *text,
             const char         *name,
             const AttnIndexSet *set)
{
  g_autofree char *numbers = set != NULL ? attn_index_set_to_string (set) : NULL;

  if (numbers != NULL)
    g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", name, numbers);
}

/* Sets the tooltips of the components. In a figure with a panel for each chosen component the last
 * one cannot be removed, and its tooltip says why; a cut acts on no component. */
static void
sync_components (AttnStrip       *self,
                 const AttnStudy *study)
{
  gboolean is_last = attn_study_changes_along (study, ATTN_DIMENSION_COMPONENT) &&
                     attn_study_count_flags (study->components, ATTN_N_COMPONENTS) == 1;
  static const char * const tips[] = {
    N_("Change the queries; with Ctrl, or by Q, only them, and once more all three"),
    N_("Change the keys; with Ctrl, or by K, only them, and once more all three"),
    N_("Change the values; with Ctrl, or by V, only them, and once more all three"),
  };

  for (gsize i = 0; i < ATTN_N_COMPONENTS; i++)
    {
      g_autofree char *id = g_strconcat ("components:", attn_component_names[i], NULL);

      attn_tooltip_set (find (self, id), is_last && study->components[i]
                                             ? attn_edits_explain_last_component ()
                                         : study->operation == ATTN_OPERATION_CUT
                                             ? _("A cut acts on the scores, not on a component")
                                             : _(tips[i]));
    }
}

/* Tells whether the strip shows the switch that limits the change to the head on display. */
static gboolean
has_switch (AttnStrip *self)
{
  return gtk_widget_get_visible (find (self, "scope.heads:shown:axis")) &&
         g_strcmp0 (gtk_stack_get_visible_child_name (self->parameter), "mean") == 0;
}

static void
append_words (GString    *text,
              const char *words)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", words);
}

/* Appends the layers, heads and tokens at which the operation acts, as far as they differ from the
 * defaults. @names_head: whether to name the head on display */
static void
append_scope (GString         *text,
              const AttnStudy *study,
              gboolean         names_head)
{
  if (!study->acts_on_shown_layer && study->scope_layers == NULL)
    append_words (text, _("all layers"));
  append_part (text, _("Layers"), study->scope_layers);
  if (study->acts_on_shown_head && names_head)
    append_words (text, _("this head"));
  append_part (text, _("Heads"), study->scope_heads);
  append_part (text, _("Tokens"), study->scope_tokens);
}

/* Returns a sentence about what the mean over an axis changes: components, heads and tokens. */
static char *
describe_mean (const AttnStudy *study,
               AttnAxis         axis)
{
  static const char * const names[] = { N_("Query"), N_("Key"), N_("Value") };
  static const char * const formats[] = {
    N_("%s: each vector becomes its own mean"),
    N_("%s: every vector becomes the mean over the tokens"),
    N_("%s: every vector becomes the mean over the heads"),
  };
  static const char * const plain[] = {
    N_("Each vector of the chosen components becomes its own mean"),
    N_("Every vector of the chosen components becomes the mean over the tokens"),
    N_("Every vector of the chosen components becomes the mean over the heads"),
  };
  gboolean is_each = attn_study_changes_along (study, ATTN_DIMENSION_COMPONENT);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) scope = g_string_new (NULL);

  for (gsize i = 0; i < ATTN_N_COMPONENTS; i++)
    if (study->components[i])
      g_string_append_printf (text, "%s%s", text->len == 0 ? "" : is_each ? " / "
                                                                          : ", ",
                              _(names[i]));
  if (text->len == 0 && !attn_study_means_heads (study))
    return g_strdup (_(plain[axis]));
  if (text->len == 0)
    g_string_append (text, _("Head output"));
  /* An atlas changes one head after the other: the scope does not apply to it. */
  else if (!attn_study_means_heads (study))
    append_scope (scope, study, TRUE);
  if (scope->len > 0)
    g_string_append_printf (text, " (%s)", scope->str);
  return g_strdup_printf (_(formats[axis]), text->str);
}

/* Returns (transfer none) (nullable): the name of the site, the vectors that the operation acts on;
 * %NULL if sites change along the grid. */
static const char *
get_site (AttnStrip       *self,
          const AttnStudy *study)
{
  g_autofree char *id = g_strconcat ("site:", attn_site_names[study->site], NULL);

  if (study->operation == ATTN_OPERATION_CUT)
    return _("Scores");
  return attn_study_changes_along (study, ATTN_DIMENSION_SITE)
             ? NULL
             : gtk_button_get_label (find (self, id));
}

static void
append_further (GString         *text,
                const AttnStudy *study)
{
  guint n = study->extra_interventions->len;

  if (n == 0)
    return;
  g_string_append (text, text->len > 0 ? " " : "");
  /* Translators: further operations, beside the one that the strip shows */
  g_string_append_printf (text, g_dngettext (NULL, "+ %u operation", "+ %u operations", n), n);
}

/* Returns the text of the button: the site, unless only the scope differs from the defaults, and
 * the scope as far as it does. It always begins with the name of the button, and ends in an
 * ellipsis where there is no room. The head on display is left out if a switch beside the axis of
 * the mean tells of it. */
static char *
name_reach (AttnStrip       *self,
            const AttnStudy *study)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) scope = g_string_new (NULL);
  const char *site = get_site (self, study);

  append_scope (scope, study, !has_switch (self));
  if (site != NULL && (scope->len == 0 || study->site != ATTN_SITE_PROJECTION ||
                       study->operation == ATTN_OPERATION_CUT))
    g_string_append (text, site);
  if (scope->len > 0)
    append_words (text, scope->str);
  append_further (text, study);
  /* Translators: the button of a menu; %s is where the operation acts: the vectors, layers, heads
   * and tokens, such as “Projection, all layers” */
  return text->len > 0 ? g_strdup_printf (_("Where: %s"), text->str) : g_strdup (_("Where"));
}

/* Returns the tooltip of the button: the site and the whole scope. */
static char *
describe_reach (AttnStrip       *self,
                const AttnStudy *study)
{
  g_autoptr (GString) text = g_string_new (get_site (self, study));

  append_scope (text, study, TRUE);
  append_further (text, study);
  return g_strdup_printf (_("Where: %s. Choose where the operation acts, or add further ones"),
                          text->str);
}

static void
sync_reach (AttnStrip       *self,
            const AttnStudy *study)
{
  g_autofree char *text = name_reach (self, study);
  g_autofree char *tip = describe_reach (self, study);

  gtk_label_set_label (GTK_LABEL (self->reach_label), text);
  attn_tooltip_set (self->reach, tip);
}

static void
sync_shown (AttnStrip       *self,
            const AttnStudy *study)
{
  gboolean has_layer = attn_study_get_traits (study)->has_layer &&
                       !attn_study_changes_along (study, ATTN_DIMENSION_LAYER);
  gboolean has_head = attn_study_get_traits (study)->has_grid &&
                      !attn_study_changes_along (study, ATTN_DIMENSION_HEAD);

  AttnResult *result = attn_session_get_result (self->session);
  int layer = get_shown_layer (self);
  int head = get_shown_head (self);
  /* Only the result tells whether a layer or head that the user chose has the strongest sink. */
  gboolean is_current = result != NULL && layer == (int) result->layer && head == result->head;

  attn_place_number_show (find (self, "layer"), has_layer, has_layer ? layer : -1,
                          study->layer < 0 || (is_current && result->is_layer_strongest));
  if (has_head)
    attn_place_number_show (find (self, "head"), TRUE, head,
                            study->head == ATTN_HEAD_STRONGEST_SINK ||
                                (is_current && result->is_head_strongest));
  else
    {
      /* A figure that reduces the heads of a layer can be of one head, which a document may
       * name. */
      gboolean is_of_one = attn_study_get_traits (study)->has_roles;

      attn_place_number_show (find (self, "head"), FALSE,
                              is_of_one ? study->head : ATTN_HEAD_MEAN, FALSE);
    }
}

static void
show_what_applies (AttnStrip       *self,
                   const AttnStudy *study)
{
  const char *note = explain_parameter (self, study);
  const char *replacement = explain_replacement (study);
  const char *page = attn_operation_names[study->operation];
  g_autofree char *meaning = describe_mean (study, study->axis);

  /* An atlas that replaces each head by its mean uses the axis of the mean that is chosen on the
   * same page of the strip. */
  if (attn_study_means_heads (study))
    page = attn_operation_names[ATTN_OPERATION_MEAN];
  else if (note != NULL || gtk_stack_get_child_by_name (self->parameter, page) == NULL ||
           attn_study_changes_along (study, ATTN_DIMENSION_AXIS))
    page = "none";
  gtk_stack_set_visible_child_name (self->parameter, page);
  gtk_label_set_label (find (self, "axis_meaning"),
                       replacement != NULL ? replacement : meaning);
  for (guint axis = 0; axis < ATTN_N_AXES; axis++)
    {
      g_autofree char *id = g_strconcat ("axis:", attn_axis_names[axis], NULL);
      g_autofree char *tooltip = describe_mean (study, axis);

      attn_tooltip_set (find (self, id), tooltip);
    }
  gtk_label_set_label (find (self, "zero_meaning"),
                       replacement != NULL
                           ? replacement
                           : _("Zero ablation: the chosen components are replaced by 0"));
  gtk_widget_set_visible (find (self, "scope.heads:shown:axis"),
                          study->axis == ATTN_AXIS_HEAD &&
                              attn_study_get_traits (study)->has_grid);
  gtk_label_set_label (find (self, "parameter_note"), note != NULL ? note : "");
  gtk_widget_set_visible (find (self, "site_row"),
                          !attn_study_changes_along (study, ATTN_DIMENSION_SITE) &&
                              study->operation != ATTN_OPERATION_CUT);
}

/* Shows both texts of a patch as soon as their tokens are known. */
static void
sync_patch (AttnStrip       *self,
            const AttnStudy *study)
{
  const AttnIntervention patch = {
    .operation = study->operation,
    .input = study->patch_input,
    .pairs = study->patch_pairs,
    .tokens = study->scope_tokens,
  };
  gboolean has_another = study->inputs->len > 1;

  g_autofree char *example =
      attn_patch_pairs_show (find (self, "patch_pairs"), self->session, &patch);
  gtk_entry_set_placeholder_text (find (self, "patch-positions"),
                                  example != NULL ? example : _("in order"));
  gtk_widget_set_visible (find (self, "patch_hint"), !has_another);
  if (!has_another)
    gtk_widget_set_visible (find (self, "patch_pairs"), FALSE);
}

/* Lists the layers. A layer of linear attention, which has no weights to show, is listed with a
 * note; a choice of that layer is refused with the reason. */
static void
list_layers (AttnStrip           *self,
             const AttnModelInfo *info)
{
  GListModel *listed = gtk_drop_down_get_model (find (self, "layer"));
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (g_list_model_get_n_items (listed) == info->n_layers + 1 &&
      (self->mapped == info->mapped_layers ||
       (self->mapped != NULL && info->mapped_layers != NULL &&
        attn_index_set_equal (self->mapped, info->mapped_layers))))
    return;
  for (gsize layer = 0; layer < info->n_layers; layer++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", layer);
      gboolean is_mapped = attn_index_set_contains (info->mapped_layers, layer);
      /* Translators: %s is the number of a layer */
      g_auto (GStrv) parts = g_strsplit (is_mapped ? _("Layer %s") : _("Layer %s, without weights"),
                                         "%s", 2);
      g_autofree char *text = g_strjoinv (number, parts);

      g_strv_builder_add (builder, text);
    }
  g_auto (GStrv) texts = g_strv_builder_end (builder);
  attn_binder_splice (self->binder, "layer", 1, g_list_model_get_n_items (listed) - 1,
                      (const char * const *) texts);
  g_clear_pointer (&self->mapped, attn_index_set_unref);
  self->mapped = attn_index_set_ref (info->mapped_layers);
}

/* Lists only the layer or head that the study has chosen: how many there are is known with the
 * first result. */
static void
list_chosen (AttnStrip  *self,
             const char *name,
             guint       n_words,
             const char *format,
             int         chosen)
{
  guint n = g_list_model_get_n_items (gtk_drop_down_get_model (find (self, name))) - n_words;

  if (chosen >= (int) n)
    attn_binder_list_numbers (self->binder, name, n_words, format, 0, (gsize) chosen + 1);
}

/* Shows the introduction, two sentences about the figure, in a window that begins with the model
 * shipped with the program, until its study is first changed; from then on, and while the baseline
 * is shown, of which the sentences are not true, an explanation of the axis of the mean. Later on
 * the help has it. */
static void
sync_introduction (AttnStrip       *self,
                   const AttnStudy *study)
{
  const AttnDocument *document = attn_session_get_document (self->session);
  gboolean is_new = document->path == NULL && document->undo->len == 0 &&
                    document->redo->len == 0 && study->model.path == NULL &&
                    g_strcmp0 (study->preset, "mean-operation") == 0 && !self->shows_baseline;

  gtk_stack_set_visible_child (find (self, "axis_words"),
                               find (self, is_new ? "introduction" : "axis_meaning"));
  /* Assistive technology would otherwise read the hidden page of a stack, too. */
  gtk_accessible_update_state (find (self, "introduction"), GTK_ACCESSIBLE_STATE_HIDDEN, !is_new,
                               -1);
}

static void
study_changed_cb (AttnStrip *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  list_chosen (self, "layer", 1, _("Layer %s"), study->layer);
  list_chosen (self, "head", 2, _("Head %s"), study->head);
  /* Translators: %s is the number of an input */
  attn_binder_list_numbers (self->binder, "patch-input", 0, _("Input %s"), 1, study->inputs->len);
  attn_attention_choice_sync (find (self, "attention_choice"), find (self, "attention_row"),
                              self->session);
  attn_binder_sync (self->binder);
  show_what_applies (self, study);
  attn_strip_line_show_operation (self->line, study->operation);
  sync_model (self, study);
  sync_components (self, study);
  sync_reach (self, study);
  sync_shown (self, study);
  sync_introduction (self, study);
  sync_patch (self, study);
}

static void
result_changed_cb (AttnStrip *self)
{
  const AttnModelInfo *info =
      attn_model_get_info (attn_session_get_result (self->session)->model);

  list_layers (self, info);
  /* Translators: %s is the number of a head */
  attn_binder_list_numbers (self->binder, "head", 2, _("Head %s"), 0, info->n_heads);
  study_changed_cb (self);
}

/* --- Actions of the controls ------------------------------------------------------------------ */

static void
fail_cb (gpointer      self,
         const GError *error)
{
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
}

/* Chooses the component of @button alone; if it is the only one chosen already, chooses all
 * components. */
static gboolean
choose_only (AttnStrip *self,
             GtkWidget *button)
{
  const AttnStudy *shown = attn_session_get_study (self->session);
  gboolean was_one = attn_study_count_flags (shown->components, ATTN_N_COMPONENTS) == 1;
  g_autoptr (AttnStudy) study = attn_study_copy (shown);
  gboolean is_one = FALSE;

  for (gsize i = 0; i < ATTN_N_COMPONENTS; i++)
    {
      g_autofree char *id = g_strconcat ("components:", attn_component_names[i], NULL);
      gpointer check = find (self, id);

      study->components[i] =
          button != NULL && (check == button || gtk_widget_is_ancestor (button, check));
      is_one = is_one || study->components[i];
      was_one = was_one && study->components[i] == shown->components[i];
    }
  for (gsize i = 0; was_one && i < ATTN_N_COMPONENTS; i++)
    study->components[i] = TRUE;
  if (is_one)
    attn_session_edit (self->session, g_steal_pointer (&study), NULL);
  return is_one;
}

/* Tells whether the controls of @group can be used: a figure whose cells are each computed by
 * themselves has no operation to choose, nor has a recording. */
static gboolean
is_open_for (AttnStrip *self,
             GtkWidget *group)
{
  return self->session != NULL && gtk_widget_is_sensitive (group);
}

static void
pressed_cb (AttnStrip  *self,
            int         n_presses,
            double      x,
            double      y,
            GtkGesture *gesture)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  if ((state & GDK_CONTROL_MASK) != 0 &&
      choose_only (self, gtk_widget_pick (self->component_group, x, y, GTK_PICK_DEFAULT)))
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static gboolean
key_pressed_cb (AttnStrip       *self,
                guint            key,
                guint            code,
                GdkModifierType  state)
{
  return (state & GDK_CONTROL_MASK) != 0 && (key == GDK_KEY_space || key == GDK_KEY_Return) &&
         choose_only (self, gtk_widget_get_focus_child (self->component_group));
}

/* --- The class of the strip ------------------------------------------------------------------- */

static void
attn_strip_dispose (GObject *object)
{
  AttnStrip *self = ATTN_STRIP (object);
  GtkWidget *child;

  g_clear_pointer (&self->mapped, attn_index_set_unref);
  g_clear_pointer (&self->line, attn_strip_line_free);
  g_clear_pointer (&self->binder, attn_binder_free);
  g_clear_object (&self->session);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (attn_strip_parent_class)->dispose (object);
}

static void
attn_strip_class_init (AttnStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_strip_dispose;
  widget_class->measure = attn_strip_measure;
  widget_class->size_allocate = attn_strip_size_allocate;

  /* (GError *error): emitted when a typed or chosen value is invalid, and with NULL when the user
   * has removed the value. */
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);

  g_type_ensure (ATTN_TYPE_EPSILON_ROW);
  g_type_ensure (ATTN_TYPE_OPERATION_LIST);
  attn_template_set (widget_class, "strip.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnStrip, operation_group);
  gtk_widget_class_bind_template_child (widget_class, AttnStrip, component_group);
  gtk_widget_class_bind_template_child (widget_class, AttnStrip, reach);
  gtk_widget_class_bind_template_child (widget_class, AttnStrip, reach_label);
  gtk_widget_class_bind_template_child (widget_class, AttnStrip, parameter);
  gtk_widget_class_bind_template_child (widget_class, AttnStrip, epsilons);
  attn_strip_line_bind (widget_class);
  gtk_widget_class_set_css_name (widget_class, "strip");
}

static void
attn_strip_init (AttnStrip *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  self->line = attn_strip_line_new (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (self->component_group, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (self->component_group, keys);
}

/**
 * attn_strip_set_session:
 * @session: the session whose study the strip shows and edits
 *
 * Connects the strip with the session. To be called once.
 */
void
attn_strip_set_session (AttnStrip   *strip,
                        AttnSession *session)
{
  g_return_if_fail (strip->session == NULL);

  strip->session = g_object_ref (session);
  strip->binder = attn_binder_new (GTK_WIDGET (strip), session, fail_cb, strip);
  attn_place_number_begin (find (strip, "layer"), find (strip, "layer_name"),
                           find (strip, "layer_initial"),
                           _("The layer on display, counted from 0, with a ★ if the strongest sink "
                             "is in it"));
  attn_place_number_begin (find (strip, "head"), find (strip, "head_name"),
                           find (strip, "head_initial"),
                           _("The head on display, counted from 0, or the mean of the heads"));
  attn_attention_choice_begin (find (strip, "attention_choice"), session);
  attn_operation_list_set_session (find (strip, "operations"), session);
  g_signal_connect_swapped (find (strip, "operations"), "failed", G_CALLBACK (fail_cb), strip);
  g_signal_connect_swapped (find (strip, "add_operation"), "clicked",
                            G_CALLBACK (attn_operation_list_add), find (strip, "operations"));
  attn_epsilon_row_set_session (strip->epsilons, session);
  g_signal_connect_swapped (strip->epsilons, "failed", G_CALLBACK (fail_cb), strip);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (study_changed_cb), strip,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "failed", G_CALLBACK (study_changed_cb), strip,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (result_changed_cb), strip,
                           G_CONNECT_SWAPPED);
  study_changed_cb (strip);
}

/**
 * attn_strip_set_operation:
 *
 * Chooses the operation, if the figure has one to choose.
 */
void
attn_strip_set_operation (AttnStrip     *strip,
                          AttnOperation  operation)
{
  g_autofree char *id = g_strconcat ("operation:", attn_operation_names[operation], NULL);

  if (is_open_for (strip, strip->operation_group))
    g_object_set (find (strip, id), "active", TRUE, NULL);
}

/**
 * attn_strip_choose_component:
 * @component: query, key or value
 * @toggles: whether to add it to the chosen components, or remove it if it is one; if not, it is
 *   chosen alone, or all are if it is alone already
 */
void
attn_strip_choose_component (AttnStrip     *strip,
                             AttnComponent  component,
                             gboolean       toggles)
{
  if (!is_open_for (strip, strip->component_group))
    return;
  g_autofree char *id = g_strconcat ("components:", attn_component_names[component], NULL);
  GtkWidget *check = find (strip, id);
  if (toggles)
    gtk_widget_activate (check);
  else
    choose_only (strip, check);
}

/**
 * attn_strip_show_baseline:
 * @is_shown: whether the figure shows the baseline in place of what the operation does
 */
void
attn_strip_show_baseline (AttnStrip *strip,
                          gboolean   is_shown)
{
  strip->shows_baseline = is_shown;
  sync_introduction (strip, attn_session_get_study (strip->session));
}

/**
 * attn_strip_type_epsilon:
 *
 * Chooses the operation that scales by ε, unless it is chosen already, and moves the focus to the
 * number of ε so that it can be typed.
 */
void
attn_strip_type_epsilon (AttnStrip *strip)
{
  if (attn_session_get_study (strip->session)->operation != ATTN_OPERATION_SCALE)
    attn_strip_set_operation (strip, ATTN_OPERATION_SCALE);
  attn_epsilon_row_type (strip->epsilons);
}

/**
 * attn_strip_settle:
 *
 * Fits the first line to the width that the strip has just got, before the strip is painted.
 */
void
attn_strip_settle (AttnStrip *strip)
{
  attn_strip_line_settle (strip->line);
}

/**
 * attn_strip_get_binder:
 *
 * Returns: (transfer none): the binder, which connects the controls of the strip with fields of the
 *   study
 */
AttnBinder *
attn_strip_get_binder (AttnStrip *strip)
{
  return strip->binder;
}
