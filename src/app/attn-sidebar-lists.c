/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sidebar-private.h"

#include <glib/gi18n.h>

#include "attn-epsilon-row.h"
#include "attn-input-row.h"

static guint
find_row (GPtrArray *rows,
          gpointer   row)
{
  guint index = 0;

  g_ptr_array_find (rows, row, &index);
  return index;
}

static void
input_changed_cb (AttnSidebar  *self,
                  AttnInputRow *row)
{
  guint index = find_row (self->input_rows, row);
  g_autofree char *what = g_strdup_printf ("input-%u", index);
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->session));
  g_autoptr (GError) error = NULL;
  AttnInput *input = attn_input_row_dup_input (row, &error);

  if (input == NULL)
    {
      attn_sidebar_fail (self, error);
      return;
    }

  AttnInput **slot = (AttnInput **) &g_ptr_array_index (study->inputs, index);
  if (g_strcmp0 ((*slot)->text, input->text) == 0 && input->text != NULL)
    {
      attn_input_free (input);
      return;
    }
  attn_input_free (*slot);
  *slot = input;
  attn_session_edit (self->session, g_steal_pointer (&study), what);
}

static void
input_remove_cb (AttnSidebar  *self,
                 AttnInputRow *row)
{
  guint index = find_row (self->input_rows, row);
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  g_ptr_array_remove_index (study->inputs, index);
  attn_session_edit (self->session, study, NULL);
}

/* Makes the list of inputs say what the study says; rows that stay keep their focus. */
void
attn_sidebar_sync_inputs (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  while (self->input_rows->len > study->inputs->len)
    {
      guint last = self->input_rows->len - 1;

      gtk_box_remove (self->inputs, g_ptr_array_index (self->input_rows, last));
      g_ptr_array_set_size (self->input_rows, last);
    }
  while (self->input_rows->len < study->inputs->len)
    {
      AttnInputRow *row = attn_input_row_new (self->input_rows->len);

      g_signal_connect_object (row, "changed", G_CALLBACK (input_changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (row, "remove", G_CALLBACK (input_remove_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (self->inputs, GTK_WIDGET (row));
      g_ptr_array_add (self->input_rows, row);
    }
  for (guint i = 0; i < study->inputs->len; i++)
    attn_input_row_set_input (g_ptr_array_index (self->input_rows, i),
                              g_ptr_array_index (study->inputs, i), study->inputs->len > 1);
  attn_sidebar_sync_statuses (self);
}

static gboolean
shows_all_inputs (const AttnStudy *study)
{
  return study->rows == ATTN_DIMENSION_INPUT || study->columns == ATTN_DIMENSION_INPUT;
}

/* How many tokens each input has, as far as it is known. */
void
attn_sidebar_sync_statuses (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  AttnResult *result = attn_session_get_result (self->session);

  for (guint i = 0; i < self->input_rows->len; i++)
    {
      AttnInputRow *row = g_ptr_array_index (self->input_rows, i);
      g_autofree char *status = NULL;

      if (i > 0 && !shows_all_inputs (study))
        status = g_strdup (_("not in this figure"));
      else if (result != NULL && i < result->n_inputs && result->inputs[i] != NULL &&
               attn_session_is_current (self->session))
        {
          gsize n = result->inputs[i]->n_tokens;

          status = g_strdup_printf (g_dngettext (NULL, "%zu token",
                                                 "%zu tokens", n),
                                    n);
        }
      if (status != NULL || !attn_session_is_busy (self->session))
        attn_input_row_set_status (row, status != NULL ? status : "");
    }
}

/**
 * attn_sidebar_add_input:
 *
 * Adds an input that says what the last one says, ready to be typed over.
 */
void
attn_sidebar_add_input (AttnSidebar *self)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  AttnInput *last = g_ptr_array_index (study->inputs, study->inputs->len - 1);

  g_ptr_array_add (study->inputs, attn_input_copy (last));
  attn_session_edit (self->session, study, NULL);
  gtk_widget_child_focus (g_ptr_array_index (self->input_rows, self->input_rows->len - 1),
                          GTK_DIR_TAB_FORWARD);
}

static void
epsilon_changed_cb (AttnSidebar    *self,
                    AttnEpsilonRow *row)
{
  guint index = find_row (self->epsilon_rows, row);
  g_autofree char *what = g_strdup_printf ("epsilon-%u", index);
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  g_array_index (study->epsilons, double, index) = attn_epsilon_row_get_epsilon (row);
  attn_session_edit (self->session, study, what);
}

/* Makes the sliders say what the study says. */
void
attn_sidebar_sync_epsilons (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  guint n = study->operation == ATTN_OPERATION_SCALE ? study->epsilons->len : 0;

  gtk_widget_set_visible (self->epsilon_section, n > 0);
  while (self->epsilon_rows->len > n)
    {
      guint last = self->epsilon_rows->len - 1;

      gtk_box_remove (self->epsilons, g_ptr_array_index (self->epsilon_rows, last));
      g_ptr_array_set_size (self->epsilon_rows, last);
    }
  while (self->epsilon_rows->len < n)
    {
      AttnEpsilonRow *row = attn_epsilon_row_new (self->epsilon_rows->len);

      g_signal_connect_object (row, "changed", G_CALLBACK (epsilon_changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (row, "failed", G_CALLBACK (attn_sidebar_fail), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (self->epsilons, GTK_WIDGET (row));
      g_ptr_array_add (self->epsilon_rows, row);
    }
  for (guint i = 0; i < n; i++)
    attn_epsilon_row_set_epsilon (g_ptr_array_index (self->epsilon_rows, i),
                                  g_array_index (study->epsilons, double, i));
}
