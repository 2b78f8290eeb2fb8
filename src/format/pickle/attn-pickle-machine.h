/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The machine that runs pickles, the programs in which Python stores objects: its stack, its memo
 * (values by number, for later use) and its containers. A function that returns %FALSE has set the
 * machine's error. */

#pragma once

#include "attn-pickle.h"

G_BEGIN_DECLS

/**
 * AttnPickleMachine:
 * @marks: the length of the stack at each mark that an opcode has set
 * @memo: for each index the id of a value plus 1, or 0 if nothing was stored
 * @n_items: the number of items of all containers
 * @is_over: whether the opcode that ends the pickle was run
 */
typedef struct
{
  const char *where;
  const guint8 *data;
  gsize size;
  gsize position;
  AttnPickle *pickle;
  GArray *stack; /* of AttnPickleId */
  GArray *marks; /* of guint32 */
  GArray *memo;  /* of AttnPickleId */
  gsize n_items;
  gboolean is_over;
  GError **error;
} AttnPickleMachine;

gboolean         attn_pickle_machine_fail     (const AttnPickleMachine *machine);
gboolean         attn_pickle_machine_reserve  (const AttnPickleMachine *machine,
                                               const GArray            *array,
                                               gsize                    item_size);
AttnPickleValue *attn_pickle_machine_get      (const AttnPickleMachine *machine,
                                               AttnPickleId             id);
gboolean         attn_pickle_machine_push_id  (AttnPickleMachine       *machine,
                                               AttnPickleId             id);
gboolean         attn_pickle_machine_push     (AttnPickleMachine       *machine,
                                               AttnPickleValue          value);
gboolean         attn_pickle_machine_require  (AttnPickleMachine       *machine,
                                               gsize                    n);
AttnPickleId     attn_pickle_machine_peek     (const AttnPickleMachine *machine,
                                               gsize                    depth);
void             attn_pickle_machine_drop     (AttnPickleMachine       *machine,
                                               gsize                    n);
gboolean         attn_pickle_machine_pop_mark (AttnPickleMachine       *machine,
                                               gsize                   *n);
gboolean         attn_pickle_machine_add_item (AttnPickleMachine       *machine,
                                               AttnPickleId             container,
                                               AttnPickleId             item);
gboolean         attn_pickle_machine_collect  (AttnPickleMachine       *machine,
                                               AttnPickleKind           kind,
                                               gsize                    n);
gboolean         attn_pickle_machine_extend   (AttnPickleMachine       *machine,
                                               AttnPickleKind           kind,
                                               gsize                    n);
gboolean         attn_pickle_machine_put      (AttnPickleMachine       *machine,
                                               guint64                  index);

G_END_DECLS
