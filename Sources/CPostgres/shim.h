#ifndef CATRACA_CPOSTGRES_SHIM_H
#define CATRACA_CPOSTGRES_SHIM_H

#include <libpq-fe.h>
#include <poll.h>

/* The fields of an error are named by characters, which Swift would import as strings. */
static inline char *catraca_pq_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}
static inline char *catraca_pq_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

/* libpq prints what the server remarks to the standard error, unless somebody else takes it. */
static void catraca_pq_ignore(void *argument, const char *message) {
  (void)argument;
  (void)message;
}
static inline void catraca_pq_ignore_notices(PGconn *connection) {
  PQsetNoticeProcessor(connection, catraca_pq_ignore, NULL);
}

#endif
