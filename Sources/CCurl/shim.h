#ifndef CATRACA_CCURL_SHIM_H
#define CATRACA_CCURL_SHIM_H

#include <curl/curl.h>

#endif
