/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the weights of the next layers while a layer is computed. Weights stay in memory while it
 * has room; the others are released after their layer. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-memory.h"
#include "attn-pass.h"

/* The number of bytes below which arrays are not read ahead. */
#define SMALLEST ((gsize) 1 << 20)

/* The share of memory that weights may occupy: 1 / KEPT_SHARE of the total memory, or of the free
 * memory if it is less. */
#define KEPT_SHARE 2

/* The time for which a pass waits for weights before it reports the wait, and between checks for
 * cancellation. */
#define PATIENCE_MICROSECONDS 50000

static void
add (const AttnPass  *pass,
     const AttnArray *array,
     gsize            layer,
     gboolean         is_next)
{
  gboolean is_kept = layer < pass->n_kept_layers;

  if (array == NULL || g_bytes_get_size (array->bytes) < SMALLEST)
    return;
  if (array->scales != NULL)
    attn_read_ahead_add (pass->ahead, array->scales->bytes, layer, is_kept, is_next);
  attn_read_ahead_add (pass->ahead, array->bytes, layer, is_kept, is_next);
}

static gssize
get_part (AttnRole role)
{
  return role == ATTN_ROLE_OUTPUT || role >= ATTN_ROLE_CROSS_NORM ? ATTN_WEIGHTS_BEHIND_MAPS
                                                                  : ATTN_WEIGHTS_OF_MAPS;
}

/* Tells whether the pass needs a part of the layer's weights, see attn_weights_is_read(), that may
 * not be in memory yet. */
static gboolean
is_wanted (const AttnPass *pass,
           gsize           layer,
           gssize          part)
{
  return (part == ATTN_WEIGHTS_OF_MAPS || pass->is_whole || layer < pass->last_layer) &&
         !attn_weights_is_read (pass->weights, layer, part);
}

static gboolean
is_any_wanted (const AttnPass *pass)
{
  gssize n_experts = (gssize) pass->config->n_experts;

  for (gsize layer = pass->forward->first_layer; layer <= pass->last_layer; layer++)
    for (gssize part = ATTN_WEIGHTS_OF_MAPS; part < n_experts; part++)
      if (is_wanted (pass, layer, part))
        return TRUE;
  return FALSE;
}

/* Adds the tensors of a layer in the order of use: softmax or linear attention comes before the
 * feed-forward layer. */
static void
add_layer (const AttnPass *pass,
           gsize           layer)
{
  const gsize n_first = ATTN_N_ROLES - ATTN_ROLE_DELTA_QKV;

  for (gsize i = 0; i < ATTN_N_LAYER_ROLES; i++)
    {
      AttnRole role = i < n_first ? ATTN_ROLE_DELTA_QKV + i : ATTN_FIRST_LAYER_ROLE + i - n_first;

      if (!is_wanted (pass, layer, get_part (role)))
        continue;
      for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
        add (pass, attn_weights_get_slot (pass->weights, role, slot, layer), layer, FALSE);
    }
}

/**
 * attn_pass_begin_reading:
 *
 * Begins to read the matrices of all layers of the pass, but for those of experts and those that an
 * earlier pass has left in memory.
 */
void
attn_pass_begin_reading (AttnPass *pass)
{
  gsize n_layers = pass->config->n_layers;
  gsize n_bytes = attn_weights_get_n_bytes (pass->weights);

  if (n_bytes / n_layers < SMALLEST || !is_any_wanted (pass))
    return;
  pass->ahead = attn_read_ahead_new ();
  if (pass->ahead == NULL)
    return;

  gsize room =
      MIN (attn_memory_get_limit (), attn_memory_get_system ("/").n_free) / KEPT_SHARE;
  pass->n_kept_layers = n_bytes <= room ? G_MAXSIZE : room / (n_bytes / n_layers);
  for (gsize layer = pass->forward->first_layer; layer <= pass->last_layer; layer++)
    add_layer (pass, layer);
  if (pass->has_logits && pass->forward->n_logit_ids == 0)
    add (pass, attn_weights_get (pass->weights, ATTN_ROLE_LOGITS, 0), n_layers, FALSE);
}

/**
 * attn_pass_read_expert:
 * @expert: number of an expert of the current layer
 *
 * Begins to read the expert's matrices, which are needed before all others.
 */
void
attn_pass_read_expert (const AttnPass *pass,
                       gsize           expert)
{
  if (pass->ahead == NULL || attn_weights_is_read (pass->weights, pass->layer, (gssize) expert))
    return;
  for (AttnRole role = ATTN_ROLE_EXPERT_GATE; role <= ATTN_ROLE_EXPERT_GATE_UP; role++)
    for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
      add (pass, attn_weights_get_expert (pass->weights, role, slot, pass->layer, expert),
           pass->layer, TRUE);
}

/**
 * attn_pass_end_reading:
 * @part: of the current layer's weights, see [func@attn_weights_is_read]
 *
 * Notes for later passes that all of the part is in memory, unless the layer's weights are released
 * after use.
 */
void
attn_pass_end_reading (const AttnPass *pass,
                       gssize          part)
{
  if (pass->ahead != NULL && pass->layer < pass->n_kept_layers)
    attn_weights_set_read (pass->weights, pass->layer, part);
}

/**
 * attn_pass_report:
 * @is_reading: whether the pass waits for the file
 *
 * Tells the caller which layer the pass is at.
 */
void
attn_pass_report (const AttnPass *pass,
                  gboolean        is_reading)
{
  gsize first = pass->forward->first_layer;
  gsize n_layers = pass->last_layer + 1;
  g_autofree char *stage = g_strdup_printf (is_reading ? _("Reading layer %zu of %zu")
                                                       : _("Computing layer %zu of %zu"),
                                            pass->layer + 1, n_layers);

  attn_progress_report (pass->forward->progress, stage,
                        (double) (pass->layer - first) / (double) (n_layers - first));
}

/**
 * attn_pass_need:
 * @array: (nullable): the matrix that is multiplied by next
 *
 * Waits until @array was read. The matrix of the call before is not needed any more.
 *
 * Returns: %FALSE when the pass was canceled meanwhile
 */
gboolean
attn_pass_need (const AttnPass  *pass,
                const AttnArray *array)
{
  gboolean is_told = FALSE;

  if (pass->ahead == NULL || array == NULL)
    return TRUE;
  while (!attn_read_ahead_take (pass->ahead, array->bytes, PATIENCE_MICROSECONDS))
    {
      if (g_cancellable_is_cancelled (pass->forward->cancellable))
        return FALSE;
      if (!is_told)
        attn_pass_report (pass, TRUE);
      is_told = TRUE;
    }
  if (is_told)
    attn_pass_report (pass, FALSE);
  return TRUE;
}
