// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's tracepoints.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
