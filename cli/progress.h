// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mbsc/base/stopwatch.h"
#include "mbsc/cluster.h"

namespace mbsc::cli {

/// A line on a terminal that says where a run is: stage, bar, rate, time left, objective. Nothing elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Stage& stage);
  /// Removes the line.
  void clear();

 private:
  bool active_;
  bool color_;
  bool shown_ = false;
  std::string stage_;
  Stopwatch stage_clock_;
  double last_ = -1;
};

}  // namespace mbsc::cli
