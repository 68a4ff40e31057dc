// SPDX-License-Identifier: Apache-2.0
#include "mbsc/base/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace mbsc {
namespace {

constexpr int64_t unknown = std::numeric_limits<int64_t>::max();

/// The number after `key` in a file like /proc/meminfo, converted from kB to bytes; -1 if `key` is missing.
int64_t kilobytes_after(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.rfind(key, 0) == 0) return std::strtoll(line.c_str() + key.size(), nullptr, 10) * 1024;
  return -1;
}

/// The number in a file; -1 if there is none.
int64_t number_in(const char* file) {
  std::ifstream in(file);
  int64_t value = -1;
  return in >> value ? value : -1;  // the file may contain "max", which means no limit
}

/// The number after `key` in memory.stat; 0 if `key` is missing.
int64_t statistic(const char* file, const std::string& key) {
  std::ifstream in(file);
  std::string name;
  for (int64_t value = 0; in >> name >> value;)
    if (name == key) return value;
  return 0;
}

/// The memory that the control group (version 2, else version 1) still allows; `unknown` if there is no limit.
/// The group counts cached files as used. Inactive cached files are easy to evict, so they count as free here.
int64_t control_group_room() {
  const struct {
    const char *limit, *used, *statistics, *cached;
  } places[] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
       "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"}};
  for (const auto& place : places) {
    const int64_t limit = number_in(place.limit), used = number_in(place.used);
    if (limit > 0 && used >= 0) return std::max<int64_t>(0, limit - used + statistic(place.statistics, place.cached));
  }
  return unknown;
}

}  // namespace

int64_t peak_memory_bytes() {
  const int64_t peak = kilobytes_after("/proc/self/status", "VmHWM:");
  if (peak >= 0) return peak;
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} * 1024 : 0;
}

int64_t available_memory_bytes() {
  const int64_t machine = kilobytes_after("/proc/meminfo", "MemAvailable:");
  return std::min(machine >= 0 ? machine : unknown, control_group_room());
}

}  // namespace mbsc
