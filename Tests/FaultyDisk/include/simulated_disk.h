#ifndef CATRACA_SIMULATED_DISK_H
#define CATRACA_SIMULATED_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* A disk in memory that an SQLite database can be on (a VFS), and that fails when it is told to.
 *
 * It remembers what was synchronized and, in order, what was written since: so it can lose its
 * power. It is for one thread at a time, and does the same for the same seed and the same calls. */
typedef struct simulated_disk simulated_disk;

/* Registers the disk with SQLite under `name`. NULL without memory. */
simulated_disk *simulated_disk_create(const char *name, uint64_t seed);
void simulated_disk_destroy(simulated_disk *disk);

/* The bytes that fit; writing beyond fails as on a full disk. */
void simulated_disk_set_capacity(simulated_disk *disk, int64_t bytes);
int64_t simulated_disk_used(const simulated_disk *disk);

/* The process dies in the midst of the write after the next `writes`. */
void simulated_disk_die_after(simulated_disk *disk, int64_t writes);
bool simulated_disk_is_dead(const simulated_disk *disk);

/* The process dies now: whatever it still tries fails, and what it wrote stays. */
void simulated_disk_kill(simulated_disk *disk);
/* The machine does: of what wasn't synchronized, any part may be lost, and the last page torn. */
void simulated_disk_lose_power(simulated_disk *disk);
/* The next process begins. */
void simulated_disk_revive(simulated_disk *disk);

#endif
