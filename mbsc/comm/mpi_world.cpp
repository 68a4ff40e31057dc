// SPDX-License-Identifier: Apache-2.0
#include "mbsc/comm/mpi_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "mbsc/base/version.h"

namespace mbsc {
namespace {

constexpr const char* file_name = "libmbsc_mpi.so";

/// The folder of the program or shared library that contains this code.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&started_by_mpi), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  // If this code is part of a program, dli_fname is the name that the program was started with. It may lack the folder.
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
  // If the launcher reports the number of ranks and it is 1, MPI is not needed.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* size = std::getenv(name); size != nullptr) return std::atoi(size) > 1;
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "MPI_LOCALNRANKS"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

namespace {

/// Returns the handle of libmbsc_mpi. The first call loads it.
void* load_library() {
  static void* library = nullptr;
  if (library != nullptr) return library;
  std::string tried;
  for (const std::string& place : places()) {
    // RTLD_GLOBAL: MPI loads plugins that look up its symbols.
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) break;
    tried += fmt::format("\n  {}", dlerror());
  }
  if (library == nullptr)
    throw std::runtime_error(fmt::format(
        "ranks need {}, which cannot be loaded (build mbsc on a machine with MPI, or set MBSC_MPI_LIBRARY to the path "
        "of the file):{}",
        file_name, tried));
  auto* version_of = symbol<MbscMpiVersion>(library, "mbsc_mpi_version");
  if (version_of == nullptr || std::string(version_of()) != version_text) {
    library = nullptr;
    throw std::runtime_error(
        fmt::format("{} was not built with this program, which has version {}", file_name, version_text));
  }
  return library;
}

}  // namespace

std::unique_ptr<World> open_world() {
  std::unique_ptr<World> world(symbol<MbscMpiOpen>(load_library(), "mbsc_mpi_open")());
  if (!world) throw std::runtime_error("MPI cannot start, was started before, or lacks thread support");
  return world;
}

std::unique_ptr<World> join_world(void* communicator) {
  std::unique_ptr<World> world(symbol<MbscMpiJoin>(load_library(), "mbsc_mpi_join")(communicator));
  if (!world)
    throw std::runtime_error(fmt::format(
        "the MPI that {} was built with is not initialized or lacks thread support; does the communicator belong to "
        "another MPI?",
        file_name));
  return world;
}

}  // namespace mbsc
