// SPDX-License-Identifier: Apache-2.0
// The functions that libmbsc_mpi exports. mpi_world.cpp loads it at run time and calls them.
#pragma once

#include "mbsc/comm.h"

namespace mbsc {

/// The types of mbsc_mpi_version(), mbsc_mpi_open() and mbsc_mpi_join().
extern "C" {
using MbscMpiVersion = const char*();
using MbscMpiOpen = World*();       ///< the caller owns the result; null if MPI cannot start or was started before
using MbscMpiJoin = World*(void*);  ///< the caller owns the result; null if MPI is not running or lacks thread support
}

}  // namespace mbsc
