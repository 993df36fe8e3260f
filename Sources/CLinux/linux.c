#define _GNU_SOURCE
#include "CLinux.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

void catraca_name_thread(const char *name) {
  char cut[16];
  snprintf(cut, sizeof cut, "%s", name);
  pthread_setname_np(pthread_self(), cut);
}

int catraca_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}

int catraca_forbid_inspection(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int catraca_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

void catraca_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

int catraca_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

// Written by one thread and read by whichever a signal interrupts: atomic, not only volatile.
static _Atomic int signal_descriptor = -1;

static void write_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe has unread signals in it: this one changes nothing.
  ssize_t ignored = write(signal_descriptor, &byte, 1);
  (void)ignored;
  errno = saved;
}

int catraca_catch_signal(int number, int descriptor) {
  struct sigaction action = {.sa_handler = write_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  signal_descriptor = descriptor;
  return sigaction(number, &action, 0);
}

void catraca_release_signal(int number) { signal(number, SIG_DFL); }

int catraca_accept(int descriptor, int flags) {
  return accept4(descriptor, 0, 0, flags);
}

static _Thread_local void *current_loop;

void catraca_set_current_loop(void *loop) { current_loop = loop; }

void *catraca_current_loop(void) { return current_loop; }
