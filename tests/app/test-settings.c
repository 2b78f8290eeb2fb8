/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every row of the table of settings that has a control in the strip or the side bar is bound to it
 * by name. */

#include "config.h"

#include <string.h>

#include "attn-application.h"
#include "attn-study-table.h"
#include "sidebar-fixture.h"

/* By actions of the window, which are in its menus as well. */
static const char * const by_action[] = { "preset", "figure", "model.path", "model.adapter",
                                          "model.array", "special-tokens", NULL };

/* By widgets that make several members agree, or that show a list. */
static const char * const by_hand[] = { "attention", "other-models", "inputs", "epsilons",
                                        "groups.heads", "extra-interventions",
                                        "survey.texts", "survey.condition",
                                        "regions", "style.low", "style.high", "style.tick",
                                        "view", "views", NULL };

/* By the preferences, for studies to come, or by the export dialog. */
static const char * const by_dialog[] = { "style.font", "style.font-size", "page.width",
                                          "page.height", "page.unit", "page.resolution",
                                          "page.outlines", "page.cell-titles", "page.path-cells",
                                          NULL };

/* Only in files and on the command line. */
static const char * const without_control[] = {
  "version", "model.fingerprint", "queries", "value-label",
  "roles.positions", "style.colors", "style.foreground", "style.background",
  "style.has-background", NULL
};

static const char * const * const lists[] = { by_action, by_hand, by_dialog, without_control };

static gboolean
is_control (GtkWidget *widget)
{
  return GTK_IS_EDITABLE (widget) || GTK_IS_RANGE (widget) || GTK_IS_DROP_DOWN (widget) ||
         g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "active") != NULL;
}

/* Controls of @field: those whose id is its name, or begins with it and a colon. */
static void
find_bound (GtkWidget  *widget,
            const char *name,
            GPtrArray  *found)
{
  const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));
  gsize length = strlen (name);

  if (id != NULL && g_str_has_prefix (id, name) && (id[length] == ':' || id[length] == '\0') &&
      is_control (widget))
    g_ptr_array_add (found, widget);
  if (GTK_IS_EXPANDER (widget) && !gtk_expander_get_expanded (GTK_EXPANDER (widget)))
    find_bound (gtk_expander_get_child (GTK_EXPANDER (widget)), name, found);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    find_bound (child, name, found);
}

/* Does what a user would. */
static void
operate (const AttnField *field,
         GtkWidget       *control)
{
  if (GTK_IS_RANGE (control))
    gtk_range_set_value (GTK_RANGE (control), field->maximum);
  else if (GTK_IS_SPIN_BUTTON (control))
    gtk_spin_button_spin (GTK_SPIN_BUTTON (control), GTK_SPIN_END, 0);
  else if (GTK_IS_DROP_DOWN (control))
    gtk_drop_down_set_selected (GTK_DROP_DOWN (control),
                                gtk_drop_down_get_selected (GTK_DROP_DOWN (control)) == 0);
  else if (GTK_IS_ENTRY (control))
    {
      gboolean is_pairs = field->type == &attn_field_pairs;

      gtk_editable_set_text (GTK_EDITABLE (control), is_pairs ? "1=2" : "1-2");
      if (field->type == &attn_field_set || is_pairs)
        g_signal_emit_by_name (control, "activate");
    }
  else
    {
      gboolean is_active;

      g_object_get (control, "active", &is_active, NULL);
      g_object_set (control, "active", !is_active, NULL);
    }
}

/* Changes the row's own member, is one step of the history, and follows the step back. */
static void
check_control (Fixture         *fixture,
               const AttnField *field,
               GtkWidget       *control)
{
  /* Of a group of buttons the one that is on goes off with another. */
  if (GTK_IS_TOGGLE_BUTTON (control) && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (control)))
    return;

  const AttnStudy *before = attn_study_ref (get_study (fixture));

  g_test_message ("%s", gtk_buildable_get_buildable_id (GTK_BUILDABLE (control)));
  operate (field, control);
  WAIT_UNTIL (!attn_field_equal (field, before, get_study (fixture)));
  const AttnStudy *after = attn_study_ref (get_study (fixture));
  attn_session_undo (fixture->session);
  g_assert_true (attn_study_equal (before, get_study (fixture)));
  operate (field, control);
  WAIT_UNTIL (attn_study_equal (after, get_study (fixture)));
  attn_session_undo (fixture->session);
  g_assert_true (attn_study_equal (before, get_study (fixture)));
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  attn_study_unref (before);
  attn_study_unref (after);
}

static void
test_controls_are_bound (Fixture       *fixture,
                         gconstpointer  data)
{
  const AttnRecord *record = attn_study_get_record ();
  guint n_listed = 0;

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];
      g_autoptr (GPtrArray) controls = g_ptr_array_new ();
      gboolean is_listed = FALSE;

      for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
        is_listed = is_listed || g_strv_contains (lists[k], field->name);
      find_bound (GTK_WIDGET (fixture->window), field->name, controls);
      if (is_listed == (controls->len > 0))
        g_error ("%s: %u controls found, and it is %slisted", field->name, controls->len,
                 is_listed ? "" : "not ");
      n_listed += is_listed;
      for (guint k = 0; k < controls->len; k++)
        check_control (fixture, field, controls->pdata[k]);
    }
  /* Nothing is listed that is no row. */
  for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
    n_listed -= g_strv_length ((char **) lists[k]);
  g_assert_cmpuint (n_listed, ==, 0);
}

/* An entry of a drop-down is a value: there is one for each name. */
static void
test_choices_are_complete (Fixture       *fixture,
                           gconstpointer  data)
{
  const AttnRecord *record = attn_study_get_record ();
  guint n_choices = 0;

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];
      g_autoptr (GPtrArray) controls = g_ptr_array_new ();

      find_bound (GTK_WIDGET (fixture->window), field->name, controls);
      if (controls->len == 0 || field->type != &attn_field_choice)
        continue;
      gboolean is_list = GTK_IS_DROP_DOWN (controls->pdata[0]);
      g_test_message ("%s", field->name);
      g_assert_cmpuint (is_list ? g_list_model_get_n_items (
                                      gtk_drop_down_get_model (controls->pdata[0]))
                                : controls->len,
                        ==, g_strv_length ((char **) field->names));
      n_choices++;
    }
  g_assert_cmpuint (n_choices, >, 5);
}

/* Numbers that a file could not have cannot be chosen, and all that it can have show. */
static void
test_bounds_are_those_of_files (Fixture       *fixture,
                                gconstpointer  data)
{
  const char * const names[] = { "style.clip", "style.digits", "groups.level" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const AttnField *field = attn_study_find_field (names[i]);
      g_autoptr (GPtrArray) controls = g_ptr_array_new ();

      find_bound (GTK_WIDGET (fixture->window), names[i], controls);
      g_assert_cmpuint (controls->len, ==, 1);
      GtkAdjustment *adjustment = GTK_IS_RANGE (controls->pdata[0])
                                      ? gtk_range_get_adjustment (controls->pdata[0])
                                      : gtk_spin_button_get_adjustment (controls->pdata[0]);
      g_assert_cmpfloat (gtk_adjustment_get_lower (adjustment), ==, field->minimum);
      g_assert_cmpfloat (gtk_adjustment_get_upper (adjustment), ==, field->maximum);
    }
}

/* A drop-down that is empty selects its first entry when it gets some. */
static void
test_filling_is_no_choice (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (AttnStudy) study = attn_study_copy (get_study (fixture));
  Fixture other = { .session = attn_session_new () };

  study->style.colormap = ATTN_N_COLORMAPS - 1;
  study->layer = 1;
  study->head = 2;
  attn_session_open (other.session, attn_study_copy (study));
  show_sidebar (&other);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_true (attn_study_equal (get_study (&other), study));
  g_assert_false (attn_session_get_document (other.session)->undo->len > 0);
  tear_down_sidebar (&other, NULL);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();

  ADD ("controls-are-bound", "mean-operation", test_controls_are_bound);
  ADD ("choices-are-complete", "mean-operation", test_choices_are_complete);
  ADD ("filling-is-no-choice", "mean-operation", test_filling_is_no_choice);
  ADD ("bounds-are-those-of-files", "mean-operation", test_bounds_are_those_of_files);
  return g_test_run ();
}
