#ifndef CATRACA_CYAML_SHIM_H
#define CATRACA_CYAML_SHIM_H

#include <yaml.h>

#endif
