/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads Python's pickle format as data. A pickle is a program for a stack machine; this machine
 * builds values from it and calls nothing: a call becomes a value that names the function and its
 * arguments. */

#pragma once

#include "attn-pickle-names.h"

G_BEGIN_DECLS

/**
 * AttnPickleKind:
 * @ATTN_PICKLE_OTHER: something of no interest, such as an integer of more than 64 bits
 * @ATTN_PICKLE_TUPLE: also of a list and a set, which differ in nothing else here
 * @ATTN_PICKLE_CALL: what a call of a name would make
 * @ATTN_PICKLE_STORAGE: an object that is kept beside the pickle
 */
typedef enum
{
  ATTN_PICKLE_OTHER,
  ATTN_PICKLE_NONE,
  ATTN_PICKLE_BOOLEAN,
  ATTN_PICKLE_INTEGER,
  ATTN_PICKLE_NUMBER,
  ATTN_PICKLE_TEXT,
  ATTN_PICKLE_TUPLE,
  ATTN_PICKLE_DICT,
  ATTN_PICKLE_NAME,
  ATTN_PICKLE_CALL,
  ATTN_PICKLE_STORAGE,
} AttnPickleKind;

/* The longest text that is copied, such as a tensor's name, in bytes. */
#define ATTN_PICKLE_MAX_TEXT 4096

/* The index of a value. */
typedef guint32 AttnPickleId;

/**
 * AttnPickleValue:
 * @n: bytes of a text; of a tuple, its items; of a dictionary, keys and values together
 * @integer: also of a boolean
 * @text: where it lies in the pickle; UTF-8 or not, no zero stands behind it
 * @items: a dictionary's keys and values alternate
 * @name: also what a call is of
 * @arguments: (of a call): a tuple; (of a storage): what is known of it
 */
typedef struct
{
  guint8 kind;
  guint32 n;
  AttnPickleId arguments;
  union
  {
    gint64 integer;
    double number;
    const char *text;
    AttnPickleId *items;
    const AttnPickleName *name;
  };
} AttnPickleValue;

typedef struct _AttnPickle AttnPickle;

AttnPickle *attn_pickle_parse (const guint8 *data,
                               gsize size,
                               gsize *n_used,
                               const char *where,
                               GError **error);
void attn_pickle_free (AttnPickle *pickle);
gsize attn_pickle_get_n (const AttnPickle *pickle);
const AttnPickleValue *attn_pickle_get (const AttnPickle *pickle,
                                        AttnPickleId id);
const AttnPickleValue *attn_pickle_get_root (const AttnPickle *pickle);
const AttnPickleValue *attn_pickle_get_item (const AttnPickle *pickle,
                                             const AttnPickleValue *value,
                                             gsize index);
const AttnPickleValue *attn_pickle_lookup (const AttnPickle *pickle,
                                           const AttnPickleValue *dict,
                                           const char *key);
gboolean attn_pickle_is_text (const AttnPickleValue *value,
                              const char *text);
char *attn_pickle_dup_text (const AttnPickleValue *value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPickle, attn_pickle_free)

G_END_DECLS
