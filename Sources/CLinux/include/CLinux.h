#ifndef CATRACA_CLINUX_H
#define CATRACA_CLINUX_H

// Parts of the Linux kernel's interface that Swift's Glibc overlay leaves out.
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// epoll_data_t is a union that Swift can't spell in one expression: the 64-bit member is enough.
static inline struct epoll_event catraca_epoll_event(uint32_t events, uint64_t data) {
  struct epoll_event event;
  event.events = events;
  event.data.u64 = data;
  return event;
}

static inline uint64_t catraca_epoll_data(const struct epoll_event *event) {
  return event->data.u64;
}

// accept4 needs _GNU_SOURCE, which Swift's importer doesn't set. The peer's address is not wanted.
int catraca_accept(int descriptor, int flags);

// How many processors the calling process may run on; CPU_COUNT is a macro.
int catraca_processor_count(void);

// prctl takes any number of arguments, which Swift can't call. Both return 0 or leave `errno`.
int catraca_forbid_inspection(void);
int catraca_forbid_new_privileges(void);

// SIG_IGN is a macro that Swift can't import.
void catraca_ignore_sigpipe(void);

// A pipe whose ends never block and don't outlive an exec.
int catraca_pipe(int ends[2]);

// From now on each `signal` writes its number, one byte, into `descriptor`; one descriptor for all
// signals of the process. Release gives a signal its default action back.
int catraca_catch_signal(int signal, int descriptor);
void catraca_release_signal(int signal);

// Names the calling thread for tools; at most 15 bytes are kept.
void catraca_name_thread(const char *name);

// Which event loop the calling thread runs, as an opaque pointer; null on every other thread.
void catraca_set_current_loop(void *loop);
void *catraca_current_loop(void);

#endif
