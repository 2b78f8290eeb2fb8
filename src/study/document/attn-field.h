/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Structs that are described by tables with a row for each member. The rows are used to copy,
 * compare and free a struct, to read and write it as JSON, and to set it by command-line options.
 * The table of the study is in attn-study-table.c. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-json-writer.h"

G_BEGIN_DECLS

/* Need (see @needs of AttnField) of a setting that has no effect on recorded arrays, whatever the
 * figure: a model, which the study lacks. */
#define ATTN_NEED_MODEL "--model"

typedef struct _AttnField AttnField;
typedef struct _AttnRecord AttnRecord;

typedef gpointer (*AttnDupFunc) (gconstpointer value);

/**
 * AttnFieldType:
 * @size: number of bytes of a member that is compared byte by byte, or of an element of an array
 * @json: the type of JSON value whose text @parse gets where there is no @read: %G_TYPE_STRING,
 *   %G_TYPE_INT64, %G_TYPE_DOUBLE, or 0 for a string or an integer
 * @element: (nullable): of an array: the type of its elements
 * @most: of an array: its largest number of elements; 0 for the field's @maximum
 * @init: (nullable): makes an empty value for a member that is a pointer and never %NULL
 * @add: (nullable): of an array: adds an element, and returns a pointer to it, to read its value
 *   into
 * @free: (nullable): frees the value of a member that is a pointer
 * @dup: (nullable): copies such a value
 * @same: (nullable): whether two such values are equal
 * @copy: (nullable): instead of @dup: gives a member whose bytes were copied from another member
 *   its own copy of what it points to
 * @equal: (nullable): instead of @same: whether two members are equal
 * @read: (nullable): reads JSON into a member that is initialised; @object is %NULL for an element
 *   of an array
 * @write: writes JSON: as the member @name, or with %NULL as an element of an array
 * @parse: (nullable): reads the argument of a command-line option; @text can be any bytes
 */
typedef struct _AttnFieldType AttnFieldType;
struct _AttnFieldType
{
  gsize size;
  GType json;
  const AttnFieldType *element;
  guint most;
  gpointer (*init) (const AttnField *field);
  gpointer (*add) (const AttnField *field,
                   gpointer         member);
  GDestroyNotify free;
  AttnDupFunc dup;
  GEqualFunc same;
  void (*copy) (const AttnField *field,
                gpointer         member);
  gboolean (*equal) (const AttnField *field,
                     gconstpointer    a,
                     gconstpointer    b);
  gboolean (*read) (const AttnField *field,
                    JsonObject      *object,
                    JsonNode        *node,
                    gpointer         member,
                    GError         **error);
  void (*write) (const AttnField *field,
                 gconstpointer    member,
                 AttnJsonWriter  *writer,
                 const char      *name);
  gboolean (*parse) (const AttnField *field,
                     const char      *text,
                     gpointer         member,
                     GError         **error);
};

/**
 * AttnEffect:
 * @ATTN_EFFECT_COMPUTE: the panels are computed again
 * @ATTN_EFFECT_DRAW: the figure is laid out and drawn again from the panels that are already
 *   computed
 * @ATTN_EFFECT_NOTE: the figure stays as it is; only what the file notes about it changes
 *
 * What has to be done after a member's value has changed.
 */
typedef enum
{
  ATTN_EFFECT_COMPUTE,
  ATTN_EFFECT_DRAW,
  ATTN_EFFECT_NOTE,
} AttnEffect;

/**
 * AttnField:
 * @name: name in JSON: "words", or "style.low" for the member "low" of the object "style"
 * @offset: offset of the member in the struct, in bytes
 * @flag: offset of a gboolean that tells whether the member is used or ignored; 0 for none
 * @word: (nullable): what stands in JSON and on the command line for a member that is ignored;
 *   %NULL if the member is then left out
 * @word_flag: value of the flag when the member is ignored
 * @is_optional: whether the member is written only where it differs from the record's default
 * @is_required: whether @read of its type is called even if the member is missing, to refuse that
 * @is_written: (nullable): tells whether the member of a struct is written at all; %NULL for always
 * @needs: (nullable): returns the options or presets that a struct lacks for the member to have an
 *   effect, such as "--text"; %NULL where it has one
 * @minimum: smallest value of a number, or of the numbers in an array
 * @maximum: largest value of the same; of a list, its largest number of elements
 * @names: (nullable): of a choice, the names by value; of an index, those of the special values -1,
 *   -2, ...
 * @values: (nullable): of a choice, the value of each name, unless it is the index of the name
 * @record: (nullable): of a list, the record that describes its elements
 * @expected: (nullable): which values are valid, untranslated, for messages
 * @option: (nullable): name of the command-line option, without the dashes. For a flag, "no-NAME"
 *   switches it off; the opposite is understood as well.
 * @argument: (nullable): the option's argument as the help shows it, such as "FILE"
 * @description: (nullable): the option's help text, one line, untranslated
 */
struct _AttnField
{
  const char *name;
  const AttnFieldType *type;
  gsize offset;
  gsize flag;
  const char *word;
  gboolean word_flag;
  gboolean is_optional;
  gboolean is_required;
  gboolean (*is_written) (gconstpointer owner);
  const char *(*needs) (gconstpointer owner);
  double minimum;
  double maximum;
  const char * const *names;
  const int *values;
  const AttnRecord *record;
  const char *expected;
  AttnEffect effect;
  const char *option;
  const char *argument;
  const char *description;
};

/**
 * AttnRecord:
 * @size: bytes of the struct
 * @fields: (array length=n_fields): the fields in the order in which JSON has them; those of one
 *   JSON object stand together
 * @free: (nullable): frees a struct that is an element of a list
 * @usual: (nullable): a struct whose members are the defaults; %NULL for zeros
 * @check: (nullable): checks conditions that involve several members, once all are read
 */
struct _AttnRecord
{
  gsize size;
  const AttnField *fields;
  gsize n_fields;
  GDestroyNotify free;
  gconstpointer usual;
  gboolean (*check) (gconstpointer   owner,
                     JsonObject     *object,
                     GError        **error);
};

extern const AttnFieldType attn_field_flag;     /* gboolean */
extern const AttnFieldType attn_field_flags;    /* gboolean []: flags, of which several can be set,
                                                 * each with a name */
extern const AttnFieldType attn_field_choice;   /* int or an enumeration */
extern const AttnFieldType attn_field_index;    /* int: an index from 0, or one of the special
                                                 * values below 0 */
extern const AttnFieldType attn_field_count;    /* guint */
extern const AttnFieldType attn_field_size;     /* gsize */
extern const AttnFieldType attn_field_span;     /* gsize [2], first and last */
extern const AttnFieldType attn_field_number;   /* double */
extern const AttnFieldType attn_field_numbers;  /* GArray of double */
extern const AttnFieldType attn_field_text;     /* char *, NULL for none */
extern const AttnFieldType attn_field_path;     /* char *, any bytes, NULL for none */
extern const AttnFieldType attn_field_paths;    /* GStrv: one or more paths; in JSON a string if
                                                 * there is one */
extern const AttnFieldType attn_field_interned; /* const char * of g_intern_string() */
extern const AttnFieldType attn_field_strings;  /* GStrv */
extern const AttnFieldType attn_field_ids;      /* guint32 *ids; gsize n_ids */
extern const AttnFieldType attn_field_set;      /* AttnIndexSet *, NULL for all */
extern const AttnFieldType attn_field_color;    /* AttnRgb */
extern const AttnFieldType attn_field_list;     /* GPtrArray: structs whose members @record
                                                 * describes */
extern const AttnFieldType attn_field_record;   /* group of members of the study's own struct,
                                                 * described by @record */

gboolean attn_field_fail    (const char        *found,
                             const char        *expected,
                             GError           **error);
gboolean attn_field_fail_node (JsonNode        *node,
                             const char        *expected,
                             GError           **error);
JsonArray *attn_field_get_array (JsonNode      *node,
                             GError           **error);
gboolean attn_field_read    (const AttnField   *field,
                             JsonObject        *object,
                             JsonNode          *node,
                             gpointer           member,
                             GError           **error);
gboolean attn_field_parse   (const AttnField   *field,
                             const char        *text,
                             gpointer           owner,
                             GError           **error);
const char *attn_field_get_need (const AttnField *field,
                             gconstpointer      owner);
void     attn_field_clear   (const AttnField   *field,
                             gpointer           owner);
void     attn_field_reset   (const AttnField   *field,
                             gpointer           owner,
                             gconstpointer      usual);
gboolean attn_field_equal   (const AttnField   *field,
                             gconstpointer      a,
                             gconstpointer      b);
gboolean attn_field_numbers_equal (const AttnField *field,
                             gconstpointer      a,
                             gconstpointer      b);

void     attn_record_init   (const AttnRecord  *record,
                             gpointer           owner);
gpointer attn_record_new    (const AttnRecord  *record);
void     attn_record_clear  (const AttnRecord  *record,
                             gpointer           owner);
void     attn_record_own    (const AttnRecord  *record,
                             gpointer           copy);
gpointer attn_record_copy   (const AttnRecord  *record,
                             gconstpointer      owner);
gboolean attn_record_equal  (const AttnRecord  *record,
                             gconstpointer      a,
                             gconstpointer      b);
void     attn_record_take_changes (const AttnRecord *record,
                             const char        *beginning,
                             gpointer           owner,
                             gconstpointer      changed,
                             gconstpointer      origin);
gboolean attn_record_read   (const AttnRecord  *record,
                             JsonObject        *object,
                             gpointer           owner,
                             GError           **error);
void     attn_record_write  (const AttnRecord  *record,
                             gconstpointer      owner,
                             AttnJsonWriter    *writer);

G_END_DECLS
