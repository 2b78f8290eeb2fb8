/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads Python's pickle format as data. A pickle is a program for a stack machine that rebuilds
 * objects. This machine builds values from it and calls no function: a call becomes a value that
 * names the function and its arguments. */

#pragma once

#include "attn-pickle-names.h"

G_BEGIN_DECLS

/**
 * AttnPickleKind:
 * @ATTN_PICKLE_OTHER: a value that is never used, such as an integer of more than 64 bits
 * @ATTN_PICKLE_TUPLE: a tuple, list or set, which need not be told apart
 * @ATTN_PICKLE_NAME: the name of a function or class
 * @ATTN_PICKLE_CALL: the result that a call of a function would have
 * @ATTN_PICKLE_STORAGE: an object outside the pickle: the elements of tensors
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

/* The most bytes of a text that is copied, such as a tensor's name. */
#define ATTN_PICKLE_MAX_TEXT 4096

/* The number of a value among all values of a pickle. */
typedef guint32 AttnPickleId;

/**
 * AttnPickleValue:
 * @n: the bytes of a text; the items of a tuple; the keys and values of a dictionary together
 * @integer: the number of an integer; 0 or 1 for a boolean
 * @text: the bytes of a text, in the pickle itself; UTF-8 or not, and not terminated by a zero
 * @items: the items of a tuple; the keys and values of a dictionary in turn
 * @name: the name, or the name of the function that a call is of
 * @arguments: for a call and a storage: the tuple of the arguments, or of the storage's type, key
 *   and so on
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
