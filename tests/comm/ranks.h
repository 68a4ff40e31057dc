// SPDX-License-Identifier: Apache-2.0
// Runs test bodies on several ranks: as threads of one process, or over MPI if tests/mpi/on_ranks started the program.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "mbsc/comm.h"
#include "mbsc/comm/thread_comm.h"

namespace mbsc::testing {

/// The ranks that tests/mpi/on_ranks has started, or null without it. Closed when all tests are done. Throws if the
/// number of ranks is not MBSC_TEST_RANKS: if mpirun belongs to another MPI than the library, each process is alone.
inline const World* mpi_world() {
  static std::unique_ptr<World> world;
  struct Close : ::testing::Environment {
    void TearDown() override { world.reset(); }
  };
  static const bool begun = [] {
    const char* expected = std::getenv("MBSC_TEST_RANKS");
    if (expected == nullptr) return false;
    if (!started_by_mpi()) throw std::runtime_error("mpirun has set none of the variables that tell so");
    world = open_world();
    if (world->size() != std::stoi(expected))
      throw std::runtime_error("there are " + std::to_string(world->size()) + " ranks instead of " + expected);
    ::testing::AddGlobalTestEnvironment(new Close);
    return true;
  }();
  return begun ? world.get() : nullptr;
}

/// Initializes MPI before the tests start.
inline const bool mpi_has_begun = mpi_world() != nullptr;

/// Runs `body` on `size` ranks. Under mpirun these are the ranks of mpirun; if their number is not `size`, `body` does
/// not run.
inline void on_ranks(int size, const std::function<void(const Comm&)>& body) {
  const World* world = mpi_world();
  if (world == nullptr) return run_as_ranks(size, body);
  if (world->size() == size) body(*world);
}

}  // namespace mbsc::testing
