// SPDX-License-Identifier: Apache-2.0
// Writing results. A file appears whole or not at all: written under a temporary name beside it,
// then renamed.
// "-" is standard output.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mbsc/base/matrix.h"

namespace mbsc {

/// One label a line, in input order.
void write_labels(const std::string& path, std::span<const int32_t> labels);
/// NPY version 1.0, float32 (or float64), C order.
void write_npy(const std::string& path, MatrixView<const float> values);
void write_npy(const std::string& path, MatrixView<const double> values);
/// The same, part by part: part(i) gives some rows, valid until the next call, `rows` in all.
void write_npy(const std::string& path, int64_t rows, int64_t columns, int parts,
               const std::function<MatrixView<const float>(int)>& part);
void write_text(const std::string& path, std::string_view text);
/// Throws InvalidInput unless `path` can be created: its folder exists and is writable. Called
/// before long work.
void check_writable(const std::string& path);

}  // namespace mbsc
