/* A wall clock that is wrong by CLOCK_SHIFT, a file of the milliseconds that it is ahead, for the
 * process that preloads this. The monotonic clock, which timers go by, is as it was. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *shift;

__attribute__((constructor)) static void begin(void) {
  int descriptor = open(getenv("CLOCK_SHIFT"), O_RDONLY | O_CLOEXEC);
  shift = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, descriptor, 0);
  if (shift == MAP_FAILED) abort();
  close(descriptor);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int status = (int)syscall(SYS_clock_gettime, clock, time);
  /* The allocator asks for the time before anything has begun. */
  if (status || !shift) return status;
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return 0;
  int64_t milliseconds = *shift;
  time->tv_sec += milliseconds / 1000;
  time->tv_nsec += milliseconds % 1000 * 1000000;
  if (time->tv_nsec < 0) time->tv_sec -= 1, time->tv_nsec += 1000000000;
  if (time->tv_nsec >= 1000000000) time->tv_sec += 1, time->tv_nsec -= 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int status = clock_gettime(CLOCK_REALTIME, &now);
  if (!status) *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return status;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}
