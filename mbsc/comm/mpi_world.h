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
  /// Waits for all ranks to come here, for so many seconds at most; whether they have. For the end of a program: a rank
  /// that has not come may be waiting in something else, for ever.
  virtual bool meet(double seconds) const = 0;
  /// How many ranks, this one among them, may run on the processors of this one: on the same machine with the same
  /// choice of them.
  virtual int sharing_processors() const = 0;
  /// "Open MPI v4.1.4" or the like.
  virtual std::string library() const = 0;
};

/// Whether mpirun, mpiexec or srun has started this process as one of several ranks, by the variables that they set.
bool started_by_mpi();

/// Loads libmbsc_mpi (the file that MBSC_MPI_LIBRARY names, else the one beside this program or in its ../lib) and
/// begins MPI. Once in a process. Throws std::runtime_error where there is none or it is of another version.
std::unique_ptr<World> open_world();

/// Ranks of a communicator that somebody else has made and keeps (mpi4py): the address of an MPI_Comm of the same MPI.
std::unique_ptr<World> join_world(void* communicator);

/// What libmbsc_mpi gives.
extern "C" {
using MbscMpiVersion = const char*();
using MbscMpiOpen = World*();       ///< the caller owns it; null where MPI cannot begin
using MbscMpiJoin = World*(void*);  ///< likewise; null where MPI has not begun, or lacks support of threads
}

}  // namespace mbsc
