#define _GNU_SOURCE
#include "CLinux.h"
#include <stdio.h>

void catraca_name_thread(const char *name) {
  char cut[16];
  snprintf(cut, sizeof cut, "%s", name);
  pthread_setname_np(pthread_self(), cut);
}

int catraca_accept(int descriptor, int flags) {
  return accept4(descriptor, 0, 0, flags);
}

static _Thread_local void *current_loop;

void catraca_set_current_loop(void *loop) { current_loop = loop; }

void *catraca_current_loop(void) { return current_loop; }
