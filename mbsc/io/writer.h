// SPDX-License-Identifier: Apache-2.0
// The writers of labeled points, as a static table with one row for each file format. To add a format, write a file
// that defines its row and add one line to writers.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mbsc/input.h"

namespace mbsc {

/// A row of the table.
struct Writer {
  std::string ending;  ///< of the file names: ".csv"
  /// Writes the features of each row and then its class.
  void (*write)(const std::string& path, MatrixView<const float> rows, std::span<const int32_t> classes) = nullptr;
};

/// All writers. The first one also writes to standard output.
std::span<const Writer* const> writers();
/// The endings as a text: ".csv or .npy".
std::string writer_endings();
/// The writer for the ending of `path`; "-" is standard output. Throws InvalidInput if there is none.
const Writer& find_writer(const std::string& path);

}  // namespace mbsc
