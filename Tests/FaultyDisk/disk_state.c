/* The content of a simulated disk, and its fate when a process or the power fails. */
#include "disk_state.h"

#include <stdlib.h>
#include <string.h>

/* Randomness: SplitMix64. */

uint64_t disk_random(simulated_disk *disk) {
  uint64_t mixed = disk->random += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

/* Contents */

static bool make_room(content *content, int64_t size) {
  if (size <= content->room) return true;
  int64_t room = size * 2;
  unsigned char *bytes = realloc(content->bytes, (size_t)room);
  if (!bytes) return false;
  content->bytes = bytes;
  content->room = room;
  return true;
}

static bool truncate_content(content *content, int64_t size) {
  if (!make_room(content, size)) return false;
  int64_t growth = size - content->size;
  if (growth > 0) memset(content->bytes + content->size, 0, (size_t)growth);
  content->size = size;
  return true;
}

static bool write_content(content *content, const void *bytes, int64_t length, int64_t offset) {
  int64_t end = offset + length;
  if (end > content->size && !truncate_content(content, end)) return false;
  memcpy(content->bytes + offset, bytes, (size_t)length);
  return true;
}

bool disk_apply(content *content, const change *change, int64_t length) {
  if (!change->length) return truncate_content(content, change->offset);
  return write_content(content, change->bytes, length, change->offset);
}

bool disk_remember(stored_file *file, const void *bytes, int64_t length, int64_t offset) {
  change *made = malloc(sizeof(change) + (size_t)length);
  if (!made) return false;
  made->next = NULL;
  made->offset = offset;
  made->length = length;
  if (length) memcpy(made->bytes, bytes, (size_t)length);
  *file->last_change = made;
  file->last_change = &made->next;
  return disk_apply(&file->now, made, length);
}

void disk_forget_changes(stored_file *file) {
  for (change *change = file->changes; change;) {
    struct change *next = change->next;
    free(change);
    change = next;
  }
  file->changes = NULL;
  file->last_change = &file->changes;
}

void disk_release(stored_file *file) {
  disk_forget_changes(file);
  free(file->now.bytes);
  free(file->durable.bytes);
  for (int index = 0; index < MOST_SHARED_REGIONS; index++) free(file->shared[index]);
  open_file *handles = file->handles;
  memset(file, 0, sizeof(*file));
  file->last_change = &file->changes;
  file->handles = handles;
}

void disk_forget_shared(stored_file *file) {
  for (int index = 0; index < MOST_SHARED_REGIONS; index++) {
    free(file->shared[index]);
    file->shared[index] = NULL;
  }
}

/* Takes the shared memory from the next process, and leaves it to what is left of the last: its
 * connections still have to be closed. */
static void bury_shared(simulated_disk *disk, stored_file *file) {
  for (int index = 0; index < MOST_SHARED_REGIONS; index++) {
    if (!file->shared[index]) continue;
    file->shared[index]->next = disk->buried;
    disk->buried = file->shared[index];
    file->shared[index] = NULL;
  }
}

void simulated_disk_set_capacity(simulated_disk *disk, int64_t bytes) { disk->capacity = bytes; }

int64_t simulated_disk_used(const simulated_disk *disk) {
  int64_t used = 0;
  for (int index = 0; index < MOST_FILES; index++) used += disk->files[index].now.size;
  return used;
}

void simulated_disk_die_after(simulated_disk *disk, int64_t writes) {
  disk->writes_to_live = writes;
}

bool simulated_disk_is_dead(const simulated_disk *disk) { return disk->dead; }

void simulated_disk_kill(simulated_disk *disk) {
  disk->dead = true;
  for (int index = 0; index < MOST_FILES; index++) bury_shared(disk, &disk->files[index]);
}

static void lose_power_of(simulated_disk *disk, stored_file *file) {
  for (change *change = file->changes; change; change = change->next) {
    uint64_t fate = disk_random(disk) % 4;
    int64_t length = change->length;
    if (fate == 0) continue;
    // Torn between two sectors.
    if (fate == 1) length = length / 2 / SECTOR * SECTOR;
    if (change->length && !length) continue;
    disk_apply(&file->durable, change, length);
  }
  disk_forget_changes(file);
  free(file->now.bytes);
  file->now = file->durable;
  file->durable = (content){0};
  if (file->now.size) write_content(&file->durable, file->now.bytes, file->now.size, 0);
}

void simulated_disk_lose_power(simulated_disk *disk) {
  simulated_disk_kill(disk);
  for (int index = 0; index < MOST_FILES; index++) lose_power_of(disk, &disk->files[index]);
}

void simulated_disk_revive(simulated_disk *disk) {
  disk->life += 1;
  disk->dead = false;
  disk->writes_to_live = -1;
}
