/* The least that a metering proxy of these parts can take: requests are forwarded by libcurl on an
   epoll loop and, where a database is named, recorded by SQLite as Catraca's contract wants it: an
   intent is committed before a request leaves, and a row before the last byte of its answer, many
   requests in one commit. Nothing else is done: no key is looked at, nothing is parsed, counted,
   priced or logged.

   floor PORT ORIGIN-URL [DATABASE]

   Requests and answers have a content-length; whatever else comes is not understood. */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 128, LARGEST = 16384, DESCRIPTORS = 65536 };
enum { COLUMNS = 49, TEXT_COLUMNS = 16, INTENTS_KEPT = 4 };

/* The source of an event of epoll. */
struct source {
  enum { LISTENER, CLIENT, PROVIDER, LEDGER } kind;
  int descriptor;
};

struct client {
  struct source source;
  char request[LARGEST];
  size_t received, head, body;
  char answer[LARGEST];
  size_t answered;
  CURL *easy;
  enum { INTENT, ROW } entry;
  struct client *next;
};

static int poller;
static const char *origin;
static CURLM *multi;
static long timeout = -1;
static struct curl_slist *fields;

/* The ledger's thread takes `waiting`, and puts it into `written` when it is committed. */
static sqlite3 *database;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static struct client *waiting, *written;
static struct source ledger = {LEDGER, -1};

static void require(int is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "%s: %s\n", what, database ? sqlite3_errmsg(database) : strerror(errno));
  exit(1);
}

static void watch(struct source *source, uint32_t events) {
  struct epoll_event event = {.events = events | EPOLLET, .data.ptr = source};
  require(epoll_ctl(poller, EPOLL_CTL_ADD, source->descriptor, &event) == 0, "epoll_ctl");
}

/* libcurl */

static size_t take_answer(char *bytes, size_t size, size_t count, void *context) {
  struct client *client = context;
  if (client->answered + count > LARGEST) return 0;
  memcpy(client->answer + client->answered, bytes, count);
  client->answered += count;
  return size * count;
}

/* Sockets stay registered for life, whether a transfer uses them or not. */
static int take_socket(CURL *easy, curl_socket_t socket, int wish, void *context, void *known) {
  static struct source sources[DESCRIPTORS];
  if (wish == CURL_POLL_REMOVE || known) return 0;
  require(socket < DESCRIPTORS, "a socket");
  sources[socket] = (struct source){PROVIDER, socket};
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = &sources[socket]};
  int status = epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
  require(status == 0 || errno == EEXIST, "epoll_ctl");
  curl_multi_assign(multi, socket, &sources[socket]);
  return 0;
}

static int take_timeout(CURLM *handle, long milliseconds, void *context) {
  timeout = milliseconds;
  return 0;
}

static CURL *make_handle(struct client *client) {
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, origin);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_answer);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, client);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, client);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, client);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  return easy;
}

static void forward(struct client *client) {
  int running;
  if (!client->easy) client->easy = make_handle(client);
  client->answered = 0;
  curl_easy_setopt(client->easy, CURLOPT_POSTFIELDSIZE, (long)client->body);
  curl_easy_setopt(client->easy, CURLOPT_POSTFIELDS, client->request + client->head);
  curl_multi_add_handle(multi, client->easy);
  curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

/* Clients */

static void enqueue(struct client *client, int entry) {
  client->entry = entry;
  pthread_mutex_lock(&lock);
  client->next = waiting;
  waiting = client;
  pthread_cond_signal(&bell);
  pthread_mutex_unlock(&lock);
}

static void answer(struct client *client) {
  send(client->source.descriptor, client->answer, client->answered, MSG_NOSIGNAL);
  client->received = 0;
}

static void take_request(struct client *client) {
  ssize_t count = recv(client->source.descriptor, client->request + client->received,
                       LARGEST - 1 - client->received, 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) {
    close(client->source.descriptor);
    return;
  }
  client->received += count;
  client->request[client->received] = 0;
  char *end = strstr(client->request, "\r\n\r\n");
  if (!end) return;
  char *length = strcasestr(client->request, "\r\ncontent-length:");
  client->head = end + 4 - client->request;
  client->body = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
  if (client->received < client->head + client->body) return;
  if (database) enqueue(client, INTENT);
  else forward(client);
}

static void take_client(int listener) {
  int on = 1, descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
  while (descriptor >= 0) {
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct client *client = calloc(1, sizeof *client);
    client->source = (struct source){CLIENT, descriptor};
    watch(&client->source, EPOLLIN);
    descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
  }
}

static void finish_transfers(void) {
  CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(multi, &left))) {
    struct client *client;
    if (message->msg != CURLMSG_DONE) continue;
    require(message->data.result == CURLE_OK, "the origin");
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &client);
    curl_multi_remove_handle(multi, client->easy);
    if (database) enqueue(client, ROW);
    else answer(client);
  }
}

/* The ledger */

static void prepare(sqlite3_stmt **statement, const char *sql) {
  require(sqlite3_prepare_v2(database, sql, -1, statement, NULL) == SQLITE_OK, sql);
}

static void run(sqlite3_stmt *statement) {
  require(sqlite3_step(statement) == SQLITE_DONE, "a statement");
  sqlite3_reset(statement);
}

static void write_row(sqlite3_stmt *insert, int64_t number) {
  char request[48], instant[48];
  snprintf(request, sizeof request, "%036lld", (long long)number);
  snprintf(instant, sizeof instant, "2026-11-24T%013lld", (long long)number);
  for (int column = 1; column <= TEXT_COLUMNS; column++) {
    const char *text = column == 1 ? request : column == 3 ? instant : "gpt-4o-mini";
    sqlite3_bind_text(insert, column, text, -1, SQLITE_STATIC);
  }
  for (int column = TEXT_COLUMNS + 1; column <= COLUMNS; column++)
    sqlite3_bind_int64(insert, column, column * 7);
  run(insert);
}

static void *keep_ledger(void *context) {
  static char insert_sql[1024] = "INSERT INTO usage_logs VALUES (NULL", intents[1 << 20];
  sqlite3_stmt *begin, *commit, *insert, *open, *end;
  int64_t number = 0, batch = 0;
  for (int column = 0; column < COLUMNS; column++) strcat(insert_sql, ", ?");
  strcat(insert_sql, ")");
  prepare(&begin, "BEGIN IMMEDIATE");
  prepare(&commit, "COMMIT");
  prepare(&insert, insert_sql);
  prepare(&open, "INSERT INTO in_flight VALUES (?, ?)");
  prepare(&end, "DELETE FROM in_flight WHERE id = ?");
  for (;;) {
    pthread_mutex_lock(&lock);
    while (!waiting) pthread_cond_wait(&bell, &lock);
    struct client *entries = waiting, *last = entries;
    waiting = NULL;
    pthread_mutex_unlock(&lock);
    int length = 0;
    run(begin);
    for (struct client *client = entries; client; client = client->next) {
      last = client;
      number += 1;
      if (client->entry == ROW) write_row(insert, number);
      else if (length < (int)sizeof intents - 256)
        length += sprintf(intents + length, "{\"request_id\":\"%036lld\",\"held\":[450,270]}",
                          (long long)number);
    }
    if (length) {
      sqlite3_bind_int64(open, 1, ++batch);
      sqlite3_bind_text(open, 2, intents, length, SQLITE_STATIC);
      run(open);
      sqlite3_bind_int64(end, 1, batch - INTENTS_KEPT);
      run(end);
    }
    run(commit);
    pthread_mutex_lock(&lock);
    last->next = written;
    written = entries;
    pthread_mutex_unlock(&lock);
    eventfd_write(ledger.descriptor, 1);
  }
  return NULL;
}

static void take_written(void) {
  pthread_mutex_lock(&lock);
  struct client *client = written;
  written = NULL;
  pthread_mutex_unlock(&lock);
  while (client) {
    struct client *next = client->next;
    if (client->entry == INTENT) forward(client);
    else answer(client);
    client = next;
  }
}

static void open_database(const char *path) {
  static char sql[4096] =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;"
      "CREATE TABLE in_flight (id INTEGER PRIMARY KEY, intents TEXT);"
      "CREATE TABLE usage_logs (id INTEGER PRIMARY KEY";
  pthread_t thread;
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  int mode = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  require(sqlite3_open_v2(path, &database, mode, NULL) == SQLITE_OK, path);
  for (int column = 1; column <= COLUMNS; column++)
    sprintf(sql + strlen(sql), ", c%d %s", column, column <= TEXT_COLUMNS ? "TEXT" : "INTEGER");
  strcat(sql, "); CREATE UNIQUE INDEX by_request ON usage_logs (c1);"
              "CREATE INDEX by_client ON usage_logs (c2, c3);"
              "CREATE INDEX by_instant ON usage_logs (c3);");
  require(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
  ledger.descriptor = eventfd(0, EFD_NONBLOCK);
  watch(&ledger, EPOLLIN);
  require(pthread_create(&thread, NULL, keep_ledger, NULL) == 0, "a thread");
}

/* The loop */

static struct source listen_on(int port) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  require(bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "bind");
  require(listen(descriptor, 512) == 0, "listen");
  return (struct source){LISTENER, descriptor};
}

static void handle(struct epoll_event *event) {
  struct source *source = event->data.ptr;
  int running;
  switch (source->kind) {
  case LISTENER: take_client(source->descriptor); break;
  case CLIENT: take_request((struct client *)source); break;
  case PROVIDER:
    curl_multi_socket_action(multi, source->descriptor, CURL_CSELECT_IN, &running);
    break;
  case LEDGER: take_written(); break;
  }
}

int main(int count, char **arguments) {
  struct epoll_event events[EVENTS];
  int running;
  if (count < 3) return fprintf(stderr, "floor PORT ORIGIN-URL [DATABASE]\n"), 2;
  origin = arguments[2];
  poller = epoll_create1(0);
  curl_global_init(CURL_GLOBAL_ALL);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, take_socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, take_timeout);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 100L);
  fields = curl_slist_append(NULL, "Content-Type: application/json");
  fields = curl_slist_append(fields, "Authorization: Bearer sk-of-the-provider");
  fields = curl_slist_append(fields, "Expect:");
  if (count > 3) open_database(arguments[3]);
  struct source listener = listen_on(atoi(arguments[1]));
  watch(&listener, EPOLLIN);
  for (;;) {
    int found = epoll_wait(poller, events, EVENTS, (int)timeout);
    if (found == 0) {
      timeout = -1;
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    for (int index = 0; index < found; index++) handle(&events[index]);
    finish_transfers();
  }
}
