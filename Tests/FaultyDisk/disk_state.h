#ifndef CATRACA_DISK_STATE_H
#define CATRACA_DISK_STATE_H

#include <sqlite3.h>

#include "simulated_disk.h"

/* The bytes that a disk writes whole or not at all. */
enum { SECTOR = 512 };
enum { LARGEST_NAME = 512, MOST_FILES = 8, MOST_SHARED_REGIONS = 64 };

/* A write since the last synchronization; without bytes, a truncation to `offset`. */
typedef struct change {
  struct change *next;
  int64_t offset;
  int64_t length;
  unsigned char bytes[];
} change;

typedef struct content {
  unsigned char *bytes;
  int64_t size;
  int64_t room;
} content;

/* A part of the memory that connections share. */
typedef struct region {
  struct region *next;
  _Alignas(16) unsigned char bytes[];
} region;

typedef struct stored_file {
  char name[LARGEST_NAME];
  bool exists;
  content now;     /* what processes read */
  content durable; /* what a loss of power leaves for certain */
  change *changes, **last_change;
  struct open_file *handles;
  region *shared[MOST_SHARED_REGIONS];
} stored_file;

struct simulated_disk {
  sqlite3_vfs vfs;
  char name[LARGEST_NAME];
  stored_file files[MOST_FILES];
  uint64_t random;
  region *buried;
  int64_t capacity;
  int64_t writes_to_live; /* negative: for ever */
  int64_t life;
  bool dead;
};

typedef struct open_file {
  sqlite3_file base;
  simulated_disk *disk;
  stored_file *file;
  struct open_file *next;
  int64_t life;
  int lock;
} open_file;

/* Random numbers that follow from the seed. */
uint64_t disk_random(simulated_disk *disk);
/* Applies the first `length` bytes of a change; false without memory. */
bool disk_apply(content *content, const change *change, int64_t length);
/* Changes what processes read, until it is synchronized only for them; false without memory. */
bool disk_remember(stored_file *file, const void *bytes, int64_t length, int64_t offset);
void disk_forget_changes(stored_file *file);
void disk_forget_shared(stored_file *file);
/* Empties a place for a file. */
void disk_release(stored_file *file);

#endif
