// SPDX-License-Identifier: Apache-2.0
#include "mbsc/comm/mpi_world.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "mbsc/version.h"

namespace mbsc {
namespace {

constexpr const char* file_name = "libmbsc_mpi.so";

/// The folder of the program or library that this code is in.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&started_by_mpi), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  // Of a program the name is how it was called.
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path file = info.dli_fname;
  const bool is_program = !error && (!file.has_parent_path() || std::filesystem::equivalent(file, program, error));
  return (is_program ? program : std::filesystem::absolute(file)).parent_path();
}

std::vector<std::string> places() {
  if (const char* named = std::getenv("MBSC_MPI_LIBRARY"); named != nullptr && *named != 0) return {named};
  const std::filesystem::path folder = own_folder();
  std::vector<std::string> found;
  for (const auto& path : {folder / file_name, folder.parent_path() / "lib" / file_name,
                           folder.parent_path() / MBSC_INSTALL_LIBDIR / file_name})
    found.push_back(path.string());
  found.emplace_back(file_name);
  return found;
}

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

bool started_by_mpi() {
  // Where the number of ranks is told and is one, there is nobody to talk to.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* size = std::getenv(name); size != nullptr) return std::atoi(size) > 1;
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "MPI_LOCALNRANKS"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

namespace {

/// The library, loaded once.
void* load_library() {
  static void* library = nullptr;
  if (library != nullptr) return library;
  std::string tried;
  for (const std::string& place : places()) {
    // Global: MPI loads parts of itself that look for its symbols.
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) break;
    tried += fmt::format("\n  {}", dlerror());
  }
  if (library == nullptr)
    throw std::runtime_error(fmt::format(
        "ranks need {}, which cannot be loaded (build mbsc where MPI is installed, or name the file in "
        "MBSC_MPI_LIBRARY):{}",
        file_name, tried));
  auto* version_of = symbol<MbscMpiVersion>(library, "mbsc_mpi_version");
  if (version_of == nullptr || std::string(version_of()) != version) {
    library = nullptr;
    throw std::runtime_error(fmt::format("{} is of another version than this program, {}", file_name, version));
  }
  return library;
}

}  // namespace

std::unique_ptr<World> open_world() {
  std::unique_ptr<World> world(symbol<MbscMpiOpen>(load_library(), "mbsc_mpi_open")());
  if (!world) throw std::runtime_error("MPI cannot begin, had begun before, or lacks support of threads");
  return world;
}

std::unique_ptr<World> join_world(void* communicator) {
  std::unique_ptr<World> world(symbol<MbscMpiJoin>(load_library(), "mbsc_mpi_join")(communicator));
  if (!world) throw std::runtime_error(fmt::format(
        "the MPI that {} was built with has not begun: the communicator is of another MPI, or without support of threads",
        file_name));
  return world;
}

}  // namespace mbsc
