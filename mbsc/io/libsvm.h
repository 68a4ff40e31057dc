// SPDX-License-Identifier: Apache-2.0
// LIBSVM's sparse rows: `label index:value index:value ... # comment`, indices ascending from 1.
// Values that are not there are 0. Chang and Lin, "LIBSVM: a library for support vector machines",
// 2011.
#pragma once

#include <string_view>

#include "mbsc/io/row_parser.h"

namespace mbsc {

class LibsvmParser final : public RowParser {
 public:
  bool has_labels() const override { return true; }
  bool is_row(std::string_view line) const override;
  bool fixed_width() const override { return false; }
  int64_t width(std::string_view line) const override;
  bool parse(std::string_view line, int64_t width, float* to, Label& label) const override;
  bool parse(std::string_view line, int64_t width, double* to, Label& label) const override;
};

/// Whether the first line that can tell has `label index:value ...`.
bool looks_like_libsvm(std::string_view head);

}  // namespace mbsc
