// SPDX-License-Identifier: Apache-2.0
// The table of readers, and functions that search it.
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "mbsc/base/require.h"
#include "mbsc/io/reader.h"

namespace mbsc {

// One line per format: the function that returns its row.
#define MBSC_READERS(ROW) \
  ROW(csv_reader)         \
  ROW(tsv_reader)         \
  ROW(libsvm_reader)      \
  ROW(npy_reader)         \
  ROW(mtx_reader)         \
  ROW(npz_reader)         \
  ROW(edges_reader)

#define MBSC_DECLARE(name) const Reader& name();
MBSC_READERS(MBSC_DECLARE)

std::span<const Reader* const> readers() {
#define MBSC_ADDRESS(name) &name(),
  static const Reader* const all[] = {MBSC_READERS(MBSC_ADDRESS)};
  return all;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Reader* reader : readers()) names.push_back(reader->name);
  return names;
}

const Reader& detect_reader(std::string_view head, std::string_view file_name) {
  std::string name(file_name);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const Reader* surest = readers().front();
  Certainty highest = Certainty::none;
  for (const Reader* reader : readers()) {
    const Certainty certainty = reader->detect(head, name);
    if (certainty <= highest) continue;
    surest = reader;
    highest = certainty;
  }
  return *surest;
}

const Reader& find_reader(const std::string& name) {
  for (const Reader* reader : readers())
    if (reader->name == name) return *reader;
  throw InvalidInput(fmt::format("format must be one of auto, {}; got '{}'", fmt::join(format_names(), ", "), name));
}

}  // namespace mbsc
