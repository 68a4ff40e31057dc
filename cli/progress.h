// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mbsc/base/stopwatch.h"
#include "mbsc/cluster.h"

namespace mbsc::cli {

/// A line on the terminal that shows the progress of a run: stage, bar, time left, rate, objective. Shows nothing if
/// standard error is not a terminal.
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
