#ifndef CATRACA_CBROTLI_SHIM_H
#define CATRACA_CBROTLI_SHIM_H

#include <brotli/decode.h>

#endif
