/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inquiry.h"

#include "attn-task.h"

typedef struct
{
  const AttnInquiry *inquiry;
  GWeakRef owner;
  gpointer data;
  AttnTask *slot;
} Asked;

static void
run (gpointer  data,
     AttnTask *task,
     gpointer  place)
{
  const Asked *asked = data;

  asked->inquiry->run (asked->data);
}

static void
free_asked (gpointer data)
{
  Asked *asked = data;

  asked->inquiry->free (asked->data);
  g_weak_ref_clear (&asked->owner);
  g_free (asked);
}

/* The owner of the task is the #Asked itself, which lives as long as the task; the owner of the
 * inquiry may be gone. */
static void
deliver (gpointer data,
         gpointer same)
{
  Asked *asked = data;
  g_autoptr (GObject) owner = g_weak_ref_get (&asked->owner);

  if (owner != NULL)
    asked->inquiry->take (owner, asked->data);
  free_asked (asked);
}

static const AttnTaskKind task_kind = {
  .run = run,
  .deliver = deliver,
  .free = free_asked,
};

/**
 * attn_inquiry_start:
 * @inquiry: functions of the inquiry; must be static
 * @owner: a #GObject that gets the answer
 * @data: (transfer full): the question, and later the answer
 *
 * Starts an inquiry in a thread.
 */
void
attn_inquiry_start (const AttnInquiry *inquiry,
                    gpointer           owner,
                    gpointer           data)
{
  Asked *asked = g_new0 (Asked, 1);

  asked->inquiry = inquiry;
  g_weak_ref_init (&asked->owner, owner);
  asked->data = data;
  attn_task_start (&task_kind, asked, asked, TRUE, &asked->slot);
}
