/* A simulated disk as SQLite calls it. */
#include <stdlib.h>
#include <string.h>

#include "disk_state.h"

/* Files as SQLite calls them. A process that has died can do nothing any more. */

static open_file *handle_of(sqlite3_file *file) { return (open_file *)file; }

static bool is_dead(const open_file *handle) {
  return handle->disk->dead || handle->life != handle->disk->life;
}

static int close_file(sqlite3_file *base) {
  open_file *handle = handle_of(base);
  open_file **place = &handle->file->handles;
  while (*place && *place != handle) place = &(*place)->next;
  if (*place) *place = handle->next;
  return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  open_file *handle = handle_of(base);
  if (is_dead(handle)) return SQLITE_IOERR_READ;
  const content *now = &handle->file->now;
  int64_t have = now->size > offset ? now->size - offset : 0;
  if (have > count) have = count;
  if (have) memcpy(bytes, now->bytes + offset, (size_t)have);
  if (have == count) return SQLITE_OK;
  memset((char *)bytes + have, 0, (size_t)(count - have));
  return SQLITE_IOERR_SHORT_READ;
}

/* Counts one write down; when the last has come, the process dies with a part of it written. */
static bool dies_in(simulated_disk *disk) {
  if (disk->writes_to_live < 0) return false;
  return disk->writes_to_live-- == 0;
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  open_file *handle = handle_of(base);
  simulated_disk *disk = handle->disk;
  if (is_dead(handle)) return SQLITE_IOERR_WRITE;
  int64_t growth = offset + count - handle->file->now.size;
  if (growth > 0 && simulated_disk_used(disk) + growth > disk->capacity) return SQLITE_FULL;
  if (dies_in(disk)) {
    int64_t part = (int64_t)(disk_random(disk) % (uint64_t)(count + 1));
    if (part && !disk_remember(handle->file, bytes, part, offset)) return SQLITE_IOERR_NOMEM;
    disk->dead = true;
    return SQLITE_IOERR_WRITE;
  }
  return disk_remember(handle->file, bytes, count, offset) ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  open_file *handle = handle_of(base);
  if (is_dead(handle)) return SQLITE_IOERR_TRUNCATE;
  return disk_remember(handle->file, NULL, 0, size) ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

static int synchronize_file(sqlite3_file *base, int flags) {
  (void)flags;
  open_file *handle = handle_of(base);
  if (is_dead(handle)) return SQLITE_IOERR_FSYNC;
  if (dies_in(handle->disk)) {
    handle->disk->dead = true;
    return SQLITE_IOERR_FSYNC;
  }
  for (change *change = handle->file->changes; change; change = change->next) {
    if (!disk_apply(&handle->file->durable, change, change->length)) return SQLITE_IOERR_NOMEM;
  }
  disk_forget_changes(handle->file);
  return SQLITE_OK;
}

static int size_of_file(sqlite3_file *base, sqlite3_int64 *size) {
  open_file *handle = handle_of(base);
  if (is_dead(handle)) return SQLITE_IOERR_FSTAT;
  *size = handle->file->now.size;
  return SQLITE_OK;
}

/* The highest lock that any other living handle has. */
static int others_lock(const open_file *handle) {
  int highest = SQLITE_LOCK_NONE;
  for (const open_file *other = handle->file->handles; other; other = other->next) {
    if (other != handle && other->life == handle->life && other->lock > highest) {
      highest = other->lock;
    }
  }
  return highest;
}

static int lock_file(sqlite3_file *base, int lock) {
  open_file *handle = handle_of(base);
  if (is_dead(handle)) return SQLITE_IOERR_LOCK;
  int others = others_lock(handle);
  bool collides = lock == SQLITE_LOCK_EXCLUSIVE   ? others >= SQLITE_LOCK_SHARED
                  : lock >= SQLITE_LOCK_RESERVED ? others >= SQLITE_LOCK_RESERVED
                                                 : others >= SQLITE_LOCK_PENDING;
  if (collides) return SQLITE_BUSY;
  if (lock > handle->lock) handle->lock = lock;
  return SQLITE_OK;
}

static int unlock_file(sqlite3_file *base, int lock) {
  if (lock < handle_of(base)->lock) handle_of(base)->lock = lock;
  return SQLITE_OK;
}

static int check_reserved_lock(sqlite3_file *base, int *is_reserved) {
  *is_reserved = others_lock(handle_of(base)) >= SQLITE_LOCK_RESERVED;
  return SQLITE_OK;
}

static int control_file(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
  (void)base;
  return SECTOR;
}

/* As SQLite takes all disks to be: a write touches no bytes beside its own. */
static int characteristics(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/* Memory that connections share. With one thread, nobody holds a lock on it while another asks. */

static int map_shared(sqlite3_file *base, int index, int size, int extend, void volatile **memory) {
  open_file *handle = handle_of(base);
  if (is_dead(handle)) return SQLITE_IOERR_SHMMAP;
  if (index >= MOST_SHARED_REGIONS) return SQLITE_IOERR_NOMEM;
  region **place = &handle->file->shared[index];
  if (!*place && extend) {
    *place = calloc(1, sizeof(region) + (size_t)size);
    if (!*place) return SQLITE_IOERR_NOMEM;
  }
  *memory = *place ? (*place)->bytes : NULL;
  return SQLITE_OK;
}

static int lock_shared(sqlite3_file *base, int offset, int count, int flags) {
  (void)offset, (void)count, (void)flags;
  return is_dead(handle_of(base)) ? SQLITE_IOERR_SHMLOCK : SQLITE_OK;
}

static void order_shared(sqlite3_file *base) { (void)base; }

static int unmap_shared(sqlite3_file *base, int delete) {
  open_file *handle = handle_of(base);
  if (delete && !is_dead(handle)) disk_forget_shared(handle->file);
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = synchronize_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_shared,
    .xShmLock = lock_shared,
    .xShmBarrier = order_shared,
    .xShmUnmap = unmap_shared,
};

/* The disk as SQLite calls it */

static simulated_disk *disk_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

static stored_file *find_file(simulated_disk *disk, const char *name) {
  for (int index = 0; index < MOST_FILES; index++) {
    stored_file *file = &disk->files[index];
    if (file->exists && !strcmp(file->name, name)) return file;
  }
  return NULL;
}

static stored_file *create_file(simulated_disk *disk, const char *name) {
  if (strlen(name) >= LARGEST_NAME) return NULL;
  for (int index = 0; index < MOST_FILES; index++) {
    stored_file *file = &disk->files[index];
    if (file->exists || file->handles) continue;
    strcpy(file->name, name);
    file->exists = true;
    return file;
  }
  return NULL;
}

static int open_in(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given) {
  simulated_disk *disk = disk_of(vfs);
  open_file *handle = handle_of(base);
  memset(handle, 0, sizeof(*handle));
  if (disk->dead || !name) return SQLITE_CANTOPEN;
  stored_file *file = find_file(disk, name);
  if (!file && flags & SQLITE_OPEN_CREATE) file = create_file(disk, name);
  if (!file) return SQLITE_CANTOPEN;
  handle->base.pMethods = &methods;
  handle->disk = disk;
  handle->file = file;
  handle->life = disk->life;
  handle->next = file->handles;
  file->handles = handle;
  if (given) *given = flags;
  return SQLITE_OK;
}

static int delete_in(sqlite3_vfs *vfs, const char *name, int synchronize) {
  (void)synchronize;
  if (disk_of(vfs)->dead) return SQLITE_IOERR_DELETE;
  stored_file *file = find_file(disk_of(vfs), name);
  if (!file) return SQLITE_IOERR_DELETE_NOENT;
  disk_release(file);
  return SQLITE_OK;
}

static int access_in(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
  (void)flags;
  *answer = find_file(disk_of(vfs), name) != NULL;
  return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
  (void)vfs;
  sqlite3_snprintf(size, path, "%s", name);
  return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  for (int index = 0; index < count; index++) bytes[index] = (char)disk_random(disk_of(vfs));
  return count;
}

static int sleep_in(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}

/* Noon of 22 November 2026, as a Julian day in milliseconds. */
static int current_time(sqlite3_vfs *vfs, sqlite3_int64 *now) {
  (void)vfs;
  *now = 212662195200000;
  return SQLITE_OK;
}

static int last_error(sqlite3_vfs *vfs, int size, char *text) {
  (void)vfs, (void)size, (void)text;
  return 0;
}

simulated_disk *simulated_disk_create(const char *name, uint64_t seed) {
  simulated_disk *disk = calloc(1, sizeof(*disk));
  if (!disk) return NULL;
  sqlite3_snprintf(LARGEST_NAME, disk->name, "%s", name);
  for (int index = 0; index < MOST_FILES; index++) {
    disk->files[index].last_change = &disk->files[index].changes;
  }
  disk->random = seed;
  disk->capacity = INT64_MAX;
  disk->writes_to_live = -1;
  disk->vfs = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = sizeof(open_file),
      .mxPathname = LARGEST_NAME,
      .zName = disk->name,
      .pAppData = disk,
      .xOpen = open_in,
      .xDelete = delete_in,
      .xAccess = access_in,
      .xFullPathname = full_path,
      .xRandomness = randomness,
      .xSleep = sleep_in,
      .xGetLastError = last_error,
      .xCurrentTimeInt64 = current_time,
  };
  if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) {
    free(disk);
    return NULL;
  }
  return disk;
}

void simulated_disk_destroy(simulated_disk *disk) {
  sqlite3_vfs_unregister(&disk->vfs);
  for (int index = 0; index < MOST_FILES; index++) disk_release(&disk->files[index]);
  for (region *region = disk->buried; region;) {
    struct region *next = region->next;
    free(region);
    region = next;
  }
  free(disk);
}
