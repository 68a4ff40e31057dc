// SPDX-License-Identifier: Apache-2.0
// Test bodies that run on ranks: as threads always, and over MPI in a program that mpirun has started.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "mbsc/comm/mpi_world.h"
#include "mbsc/comm/thread_comm.h"

namespace mbsc::testing {

/// The ranks that tests/mpi/on_ranks has started, null where it has not; closed when all tests are done. It says how many
/// they shall be: a library of one MPI under the mpirun of another would make each process the only one.
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

/// MPI begins before the tests do.
inline const bool mpi_has_begun = mpi_world() != nullptr;

/// Runs `body` on so many ranks. Under mpirun these are its own, and bodies for another number of them do not run.
inline void on_ranks(int size, const std::function<void(const Comm&)>& body) {
  const World* world = mpi_world();
  if (world == nullptr) return run_as_ranks(size, body);
  if (world->size() == size) body(*world);
}

}  // namespace mbsc::testing
