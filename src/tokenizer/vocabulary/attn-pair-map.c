/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pair-map.h"

typedef struct
{
  guint64 key;
  guint64 value;
} Slot;

/**
 * AttnPairMap:
 *
 * A hash table with open addressing and linear probing, at most half full: a lookup touches one
 * cache line most of the time, where GHashTable touches three. The thread that makes it writes to
 * it; afterwards any thread may read it.
 */
struct _AttnPairMap
{
  gsize n_slots; /* a power of two */
  gsize n_used;
  Slot *slots;
};

static Slot *
new_slots (gsize n_slots)
{
  Slot *slots = g_new (Slot, n_slots);

  for (gsize i = 0; i < n_slots; i++)
    slots[i].key = ATTN_PAIR_MAP_NO_KEY;
  return slots;
}

/* Finds the slot of a key in the hash table, or the empty slot for it. Uses Fibonacci hashing; the
 * key is folded first, since ids are small numbers that differ in their low bits. */
static gsize
find_slot (const AttnPairMap *map,
           guint64            key)
{
  guint64 hash = (key ^ key >> 29) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  gsize index = (hash >> 32) & (map->n_slots - 1);

  while (map->slots[index].key != key && map->slots[index].key != ATTN_PAIR_MAP_NO_KEY)
    index = (index + 1) & (map->n_slots - 1);
  return index;
}

/**
 * attn_pair_map_new:
 * @n_expected: how many keys the map has room for before it grows
 */
AttnPairMap *
attn_pair_map_new (gsize n_expected)
{
  AttnPairMap *map = g_new0 (AttnPairMap, 1);

  map->n_slots = 16;
  while (map->n_slots / 2 < n_expected)
    map->n_slots *= 2;
  map->slots = new_slots (map->n_slots);
  return map;
}

void
attn_pair_map_free (AttnPairMap *map)
{
  g_free (map->slots);
  g_free (map);
}

static void
grow (AttnPairMap *map)
{
  g_autofree Slot *old = map->slots;
  gsize n_old = map->n_slots;

  map->n_slots *= 2;
  map->slots = new_slots (map->n_slots);
  for (gsize i = 0; i < n_old; i++)
    if (old[i].key != ATTN_PAIR_MAP_NO_KEY)
      map->slots[find_slot (map, old[i].key)] = old[i];
}

/**
 * attn_pair_map_insert:
 * @key: anything but %ATTN_PAIR_MAP_NO_KEY; a key that the map already has gets the new value
 */
void
attn_pair_map_insert (AttnPairMap *map,
                      guint64      key,
                      guint64      value)
{
  g_return_if_fail (key != ATTN_PAIR_MAP_NO_KEY);

  if (map->n_used >= map->n_slots / 2)
    grow (map);

  Slot *slot = &map->slots[find_slot (map, key)];
  if (slot->key == ATTN_PAIR_MAP_NO_KEY)
    map->n_used++;
  slot->key = key;
  slot->value = value;
}

/**
 * attn_pair_map_lookup:
 * @value: (out): the value of @key, untouched if the map does not have that key
 */
gboolean
attn_pair_map_lookup (const AttnPairMap *map,
                      guint64            key,
                      guint64           *value)
{
  const Slot *slot = &map->slots[find_slot (map, key)];

  if (slot->key == ATTN_PAIR_MAP_NO_KEY)
    return FALSE;
  *value = slot->value;
  return TRUE;
}
