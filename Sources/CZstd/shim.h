#ifndef CATRACA_CZSTD_SHIM_H
#define CATRACA_CZSTD_SHIM_H

#include <zstd.h>

#endif
