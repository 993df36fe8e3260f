#ifndef CATRACA_CGLIB_SHIM_H
#define CATRACA_CGLIB_SHIM_H

#include <glib.h>

#endif
