// SPDX-License-Identifier: Apache-2.0
// Writing results. A file is either complete or does not exist (output_file.h). The path "-" is standard output.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mbsc/input.h"

namespace mbsc {

/// Writes one label per line, in the order of the input. If there are ids, a line has the id, a tab and the label.
void write_labels(const std::string& path, std::span<const int32_t> labels, std::span<const std::string> ids = {});
/// Writes NPY version 1.0, float32 or float64, in C order.
void write_npy(const std::string& path, MatrixView<const float> values);
void write_npy(const std::string& path, MatrixView<const double> values);
/// Writes the same in parts. part(i) returns the rows of part i, which must stay valid until the next call; all parts
/// together have `rows` rows.
void write_npy(const std::string& path, int64_t rows, int64_t columns, int parts,
               const std::function<MatrixView<const float>(int)>& part);
void write_text(const std::string& path, std::string_view text);
/// Throws InvalidInput if `path` cannot be written, for example because its folder does not exist. A program calls it
/// before a long computation.
void check_writable(const std::string& path);

}  // namespace mbsc
