/* A disk that loses its power, or refuses to be written, under the process that preloads this.
 *
 *   DISK_FOLDER   the folder whose files are on it
 *   DISK_IMAGE    a folder that has, of each of them, what was synchronized: all that is left when
 *                 the power fails
 *   DISK_FAULTS   a file of two ints: the errno with which the database's files can't be written,
 *                 and that of the spool; 0 for none
 *
 * Writes since the last synchronization are only remembered here, as ranges, and so are lost with
 * the process. SQLite's shared memory and locks aren't a disk's business. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 8, LARGEST_NAME = 256, COPY_BYTES = 1 << 16 };

typedef struct range {
  struct range *next;
  off_t offset;
  size_t length;
} range;

/* A file, and how it differs from its image. */
typedef struct {
  char name[LARGEST_NAME];
  range *written;
  off_t shortest; /* since the last synchronization */
} stored_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stored_file files[MOST_FILES];
static volatile const int *faults;
static const char *folder, *image;

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
static typeof(&write) real_write;
static typeof(&pwrite) real_pwrite;
static typeof(&ftruncate) real_ftruncate;
static typeof(&fsync) real_fsync;
static typeof(&unlink) real_unlink;

__attribute__((constructor)) static void begin(void) {
  real_write = REAL(write);
  real_pwrite = REAL(pwrite);
  real_ftruncate = REAL(ftruncate);
  real_fsync = REAL(fsync);
  real_unlink = REAL(unlink);
  folder = getenv("DISK_FOLDER");
  image = getenv("DISK_IMAGE");
  int descriptor = open(getenv("DISK_FAULTS"), O_RDONLY | O_CLOEXEC);
  faults = mmap(NULL, 2 * sizeof(int), PROT_READ, MAP_SHARED, descriptor, 0);
  if (!folder || !image || faults == MAP_FAILED) abort();
  close(descriptor);
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && !strcmp(text + length - tail, end);
}

/* The file's name in the folder; NULL for a file elsewhere. */
static const char *name_of(const char *path) {
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) || path[length] != '/') return NULL;
  const char *name = path + length + 1;
  if (!strstr(name, ".db") || strchr(name, '/') || strchr(name, ' ')) return NULL;
  return ends_with(name, "-shm") || ends_with(name, ".lock") ? NULL : name;
}

/* With the lock held. */
static stored_file *find(const char *name) {
  for (int index = 0; index < MOST_FILES; index++) {
    stored_file *file = &files[index];
    if (!strcmp(file->name, name)) return file;
    if (*file->name) continue;
    snprintf(file->name, sizeof file->name, "%s", name);
    file->shortest = LLONG_MAX;
    return file;
  }
  abort();
}

static stored_file *file_of(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  const char *name = name_of(path);
  return name ? find(name) : NULL;
}

static bool fails(const stored_file *file) {
  int fault = faults[ends_with(file->name, ".spool")];
  if (fault) errno = fault;
  return fault != 0;
}

static void forget(stored_file *file) {
  for (range *next; file->written; file->written = next) {
    next = file->written->next;
    free(file->written);
  }
  file->shortest = LLONG_MAX;
}

static void remember(stored_file *file, off_t offset, ssize_t length) {
  if (length <= 0) return;
  range *written = malloc(sizeof *written);
  if (!written) abort();
  *written = (range){file->written, offset, (size_t)length};
  file->written = written;
}

static void path_in_image(char *path, const char *name) {
  snprintf(path, PATH_MAX, "%s/%s", image, name);
}

static void copy(int from, int to, range range) {
  static char bytes[COPY_BYTES];
  while (range.length) {
    size_t count = range.length < COPY_BYTES ? range.length : COPY_BYTES;
    ssize_t read = pread(from, bytes, count, range.offset);
    if (read <= 0) return; /* It was truncated after it was written. */
    if (real_pwrite(to, bytes, (size_t)read, range.offset) != read) abort();
    range.offset += read;
    range.length -= (size_t)read;
  }
}

static void synchronize(int descriptor, stored_file *file) {
  char path[PATH_MAX];
  struct stat status;
  path_in_image(path, file->name);
  int to = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (to < 0 || fstat(to, &status)) abort();
  if (file->shortest < status.st_size && real_ftruncate(to, file->shortest)) abort();
  for (range *written = file->written; written; written = written->next) {
    copy(descriptor, to, *written);
  }
  if (fstat(descriptor, &status) || real_ftruncate(to, status.st_size)) abort();
  close(to);
  forget(file);
}

/* The functions that the process calls */

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  pthread_mutex_lock(&lock);
  stored_file *file = file_of(descriptor);
  ssize_t written = -1;
  if (!file || !fails(file)) written = real_pwrite(descriptor, bytes, count, offset);
  if (file) remember(file, offset, written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

/* A pipe may block, but not while others wait for the lock. */
static bool is_regular(int descriptor) {
  struct stat status;
  return !fstat(descriptor, &status) && S_ISREG(status.st_mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (!is_regular(descriptor)) return real_write(descriptor, bytes, count);
  pthread_mutex_lock(&lock);
  stored_file *file = file_of(descriptor);
  ssize_t written = -1;
  if (!file || !fails(file)) written = real_write(descriptor, bytes, count);
  /* Also of a file that is appended to, this is then where the bytes end. */
  if (file) remember(file, lseek(descriptor, 0, SEEK_CUR) - written, written);
  pthread_mutex_unlock(&lock);
  return written;
}

int ftruncate(int descriptor, off_t size) {
  pthread_mutex_lock(&lock);
  stored_file *file = file_of(descriptor);
  int status = file && fails(file) ? -1 : real_ftruncate(descriptor, size);
  if (file && !status && size < file->shortest) file->shortest = size;
  pthread_mutex_unlock(&lock);
  return status;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

int fsync(int descriptor) {
  pthread_mutex_lock(&lock);
  stored_file *file = file_of(descriptor);
  if (file) synchronize(descriptor, file);
  pthread_mutex_unlock(&lock);
  return file ? 0 : real_fsync(descriptor);
}

int fdatasync(int descriptor) { return fsync(descriptor); }

int unlink(const char *path) {
  pthread_mutex_lock(&lock);
  const char *name = name_of(path);
  if (name) {
    char left[PATH_MAX];
    path_in_image(left, name);
    real_unlink(left);
    forget(find(name));
  }
  int status = real_unlink(path);
  pthread_mutex_unlock(&lock);
  return status;
}
