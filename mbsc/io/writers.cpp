// SPDX-License-Identifier: Apache-2.0
// The table of writers, and functions that search it.
#include "mbsc/base/require.h"
#include "mbsc/io/writer.h"

namespace mbsc {

// One line per format: the function that returns its row.
#define MBSC_WRITERS(ROW) \
  ROW(csv_writer)         \
  ROW(npy_writer)

#define MBSC_DECLARE(name) const Writer& name();
MBSC_WRITERS(MBSC_DECLARE)

std::span<const Writer* const> writers() {
#define MBSC_ADDRESS(name) &name(),
  static const Writer* const all[] = {MBSC_WRITERS(MBSC_ADDRESS)};
  return all;
}

std::string writer_endings() {
  std::string text;
  for (const Writer* writer : writers()) {
    if (writer != writers().front()) text += writer == writers().back() ? " or " : ", ";
    text += writer->ending;
  }
  return text;
}

const Writer& find_writer(const std::string& path) {
  if (path == "-") return *writers().front();
  for (const Writer* writer : writers())
    if (path.ends_with(writer->ending)) return *writer;
  throw InvalidInput(fmt::format("output must end in {}, or be -; got '{}'", writer_endings(), path));
}

}  // namespace mbsc
