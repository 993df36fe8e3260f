#ifndef CATRACA_CSQLITE_SHIM_H
#define CATRACA_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
