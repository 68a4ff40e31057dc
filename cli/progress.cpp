// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace mbsc::cli {
namespace {

constexpr double seconds_between_updates = 0.1;

std::string duration(double seconds) {
  const auto s = static_cast<int64_t>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

ProgressLine::ProgressLine(bool wanted)
    : active_(wanted && isatty(STDERR_FILENO) != 0), color_(std::getenv("NO_COLOR") == nullptr) {}

void ProgressLine::show(const Stage& stage) {
  if (!active_) return;
  if (stage.name != stage_) {
    stage_ = stage.name;
    stage_clock_ = Stopwatch();
    last_ = -1;
  }
  const double elapsed = stage_clock_.seconds();
  if (last_ >= 0 && elapsed - last_ < seconds_between_updates) return;
  last_ = elapsed;
  std::string line = fmt::format("{:<8}", stage.name);
  if (!std::isnan(stage.fraction)) {
    constexpr int width = 24;
    const int full = static_cast<int>(stage.fraction * width);
    line += fmt::format("{}{}{}{} {:3.0f}%", color_ ? "\x1b[32m" : "", std::string(full, '#'), color_ ? "\x1b[0m" : "",
                        std::string(width - full, '-'), 100 * stage.fraction);
    if (stage.fraction > 0.01) line += fmt::format("  left {}", duration(elapsed * (1 / stage.fraction - 1)));
  } else {
    line += duration(elapsed);
  }
  if (stage.iteration > 0) {
    line += fmt::format("  {:.1f} it/s  passes {:.2f}  objective {:.4f}", double(stage.iteration) / elapsed,
                        stage.passes, stage.objective);
    if (!std::isnan(stage.residual)) line += fmt::format("  residual {:.1e}", stage.residual);
  }
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace mbsc::cli
