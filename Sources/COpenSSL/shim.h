#ifndef CATRACA_COPENSSL_SHIM_H
#define CATRACA_COPENSSL_SHIM_H

#include <openssl/ssl.h>

#endif
