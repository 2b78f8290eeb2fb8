/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Structs that are described by tables with a row for each member. The rows are used to copy,
 * compare and free a struct, to read and write it as JSON, and to set it by command-line options.
 * The table of the study is in attn-study-table.c. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-json-writer.h"

G_BEGIN_DECLS

/* The need of a member that recorded arrays cannot have, whatever the figure. */
#define ATTN_NEED_MODEL "--model"

typedef struct _AttnField AttnField;
typedef struct _AttnRecord AttnRecord;

typedef gpointer (*AttnDupFunc) (gconstpointer value);

/**
 * AttnFieldType:
 * @size: bytes of a member that is compared by them, or that is an element of an array
 * @json: what @parse reads in JSON where there is no @read: %G_TYPE_STRING, %G_TYPE_INT64,
 *   %G_TYPE_DOUBLE, or 0 for a string or an integer
 * @element: (nullable): of an array: what its elements are
 * @most: of an array: how many elements; 0 for the field's @maximum
 * @init: (nullable): an empty value for a member that is a pointer and never %NULL
 * @add: (nullable): of an array: adds an element, and returns where it is to be read
 * @free: (nullable): frees the value of a member that is a pointer
 * @dup: (nullable): another of such a value
 * @same: (nullable): whether two such values say the same
 * @copy: (nullable): instead of @dup; makes a member, which has the bytes of another, own what it
 *   holds
 * @equal: (nullable): instead of @same; whether two members say the same
 * @read: (nullable): from JSON, into a member that is initialised; @object is %NULL for an element
 *   of an array
 * @write: as the member @name, or as an element of an array with %NULL
 * @parse: (nullable): from an option's argument; @text may be any bytes
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
 * @ATTN_EFFECT_DRAW: the figure is laid out and drawn again, of the panels that are there
 * @ATTN_EFFECT_NOTE: nothing; the file says another thing about the figure
 *
 * What another value of a member asks for.
 */
typedef enum
{
  ATTN_EFFECT_COMPUTE,
  ATTN_EFFECT_DRAW,
  ATTN_EFFECT_NOTE,
} AttnEffect;

/**
 * AttnField:
 * @name: in JSON: "words", or "style.low" for the member "low" of the object "style"
 * @offset: of the member in the struct
 * @flag: offset of a gboolean that tells whether the member counts; 0 for none
 * @word: (nullable): stands in JSON and on the command line for a member that does not count;
 *   %NULL for nothing, the member is missing then
 * @word_flag: what the flag is when the member does not count
 * @is_optional: written only where it is not as in the record's default
 * @is_required: read even where it is missing, which is its type's to refuse
 * @is_written: (nullable): whether a struct has it in JSON at all
 * @needs: (nullable): gives what an owner lacks for the member to change anything, in words of the
 *   command line; %NULL where it changes something
 * @minimum: of a number, or of the numbers in an array
 * @maximum: the same; of a list, how many elements
 * @names: (nullable): of a choice, by value; of an index, the special values -1, -2, ...
 * @values: (nullable): of a choice whose values are not the places of its names
 * @record: (nullable): of a list, what its elements are
 * @expected: (nullable): what should stand there, untranslated, for messages
 * @option: (nullable): of the command line, without the dashes. Of a flag, "no-NAME" switches it
 *   off; the opposite is understood as well.
 * @argument: (nullable): what stands behind the option
 * @description: (nullable): of the option, one line, untranslated
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
 * @size: of the struct
 * @fields: (array length=n_fields): in the order of JSON; those of one object stand together
 * @free: of a struct that is an element of a list: a #GDestroyNotify
 * @usual: (nullable): a struct whose members are the defaults; %NULL for zeros
 * @check: (nullable): what no single member can tell, once all are read
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
extern const AttnFieldType attn_field_flags;    /* gboolean [], a choice of several names */
extern const AttnFieldType attn_field_choice;   /* int or an enumeration */
extern const AttnFieldType attn_field_index;    /* int, a number from 0 or a special value below */
extern const AttnFieldType attn_field_count;    /* guint */
extern const AttnFieldType attn_field_size;     /* gsize */
extern const AttnFieldType attn_field_span;     /* gsize [2], first and last */
extern const AttnFieldType attn_field_number;   /* double */
extern const AttnFieldType attn_field_numbers;  /* GArray of double */
extern const AttnFieldType attn_field_text;     /* char *, NULL for none */
extern const AttnFieldType attn_field_path;     /* char *, any bytes, NULL for none */
extern const AttnFieldType attn_field_paths;    /* GStrv, one or more; in JSON one as a string */
extern const AttnFieldType attn_field_interned; /* const char * of g_intern_string() */
extern const AttnFieldType attn_field_strings;  /* GStrv */
extern const AttnFieldType attn_field_ids;      /* guint32 *ids; gsize n_ids */
extern const AttnFieldType attn_field_set;      /* AttnIndexSet *, NULL for all */
extern const AttnFieldType attn_field_color;    /* AttnRgb */
extern const AttnFieldType attn_field_list;     /* GPtrArray of structs that @record describes */
extern const AttnFieldType attn_field_record;   /* members of the same struct, see @record */

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
gboolean attn_record_read   (const AttnRecord  *record,
                             JsonObject        *object,
                             gpointer           owner,
                             GError           **error);
void     attn_record_write  (const AttnRecord  *record,
                             gconstpointer      owner,
                             AttnJsonWriter    *writer);

G_END_DECLS
