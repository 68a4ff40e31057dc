// SPDX-License-Identifier: Apache-2.0
// The functions that libmbsc_mpi exports. mpi_world.cpp loads it at run time and calls them.
#pragma once

#include "mbsc/comm.h"

namespace mbsc {

/// The functions of libmbsc_mpi.
extern "C" {
using MbscMpiVersion = const char*();
using MbscMpiOpen = World*();       ///< the caller owns the result; null if MPI cannot be initialized
using MbscMpiJoin = World*(void*);  ///< the same; null if MPI is not initialized or lacks thread support
}

}  // namespace mbsc
