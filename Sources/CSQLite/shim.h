#ifndef CATRACA_CSQLITE_SHIM_H
#define CATRACA_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <sys/types.h>

/* SQLITE_TRANSIENT is a cast that Swift can't import: SQLite copies the bytes before it returns. */
static inline int catraca_sqlite3_bind_text(sqlite3_stmt *statement, int index,
                                            const char *bytes, int length) {
  return sqlite3_bind_text(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/* sqlite3_config takes a variable number of arguments, which Swift can't import. */
static inline int catraca_sqlite3_disable_memory_status(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static inline int catraca_sqlite3_synchronize_file(sqlite3 *connection, int operation) {
  sqlite3_file *file = 0;
  int status = sqlite3_file_control(connection, "main", operation, &file);
  if (status != SQLITE_OK || file == 0 || file->pMethods == 0) return status;
  return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

/* Waits until the database's file is on the disk, through the connection's own descriptor: another
   one of the same file would end SQLite's locks on it when it is closed. */
static inline int catraca_sqlite3_synchronize(sqlite3 *connection) {
  return catraca_sqlite3_synchronize_file(connection, SQLITE_FCNTL_FILE_POINTER);
}

/* The same of its write-ahead log, once the connection has read something. */
static inline int catraca_sqlite3_synchronize_log(sqlite3 *connection) {
  return catraca_sqlite3_synchronize_file(connection, SQLITE_FCNTL_JOURNAL_POINTER);
}

/* The one call of the system that the ledger's files need and <fcntl.h> declares for GNU alone. */
extern int fallocate(int descriptor, int mode, off_t offset, off_t length);

#endif
