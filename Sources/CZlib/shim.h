#ifndef CATRACA_CZLIB_SHIM_H
#define CATRACA_CZLIB_SHIM_H

#include <zlib.h>

// A macro with the size of a struct in it, which Swift doesn't import.
static inline int catraca_inflate_init(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

#endif
