// SPDX-License-Identifier: Apache-2.0
// The ranks of an MPI program. What calls MPI is one file (mpi/library.cpp) and a library of its own, libmbsc_mpi,
// loaded when it is asked for: a program that is not started by mpirun needs no MPI and pays nothing for it.
#pragma once

#include <memory>
#include <string>

#include "mbsc/comm/comm.h"

namespace mbsc {

/// All ranks that were started together. Closing it (the destructor) is collective.
class World : public Comm {
 public:
  /// Ends every rank at once, with this exit code: for the one that cannot go on. Does not return.
  virtual void end_all(int exit_code) const = 0;
  /// "Open MPI v4.1.4" or the like.
  virtual std::string library() const = 0;
};

/// Whether mpirun, mpiexec or srun has started this process, by the variables that they set.
bool started_by_mpi();

/// Loads libmbsc_mpi (the file that MBSC_MPI_LIBRARY names, else the one beside this program or in its ../lib) and
/// begins MPI. Once in a process. Throws std::runtime_error where there is none or it is of another version.
std::unique_ptr<World> open_world();

/// What libmbsc_mpi gives.
extern "C" {
using MbscMpiVersion = const char*();
using MbscMpiOpen = World*();  ///< the caller owns it; null where MPI cannot begin
}

}  // namespace mbsc
