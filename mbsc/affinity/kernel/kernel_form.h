// SPDX-License-Identifier: Apache-2.0
// KernelForm: how a tile computes a kernel on given points, and how their coordinates are packed for it.
//
// The rbf kernel uses the expanded form |x|^2 + |y|^2 - 2 x.y of squared distances. Coordinates are taken relative to
// the median of each feature, which keeps the cancellation in this form small. If gamma max|x|^2 still exceeds 118 (a
// kernel error of 1e-5 in float), distances are sums of squared differences instead. The exponential kernel always uses
// sums of squared differences.
#pragma once

#include <span>
#include <vector>

#include "mbsc/affinity/kernel/kernel.h"
#include "mbsc/affinity/pass/make_tile.h"
#include "mbsc/affinity/pass/packing.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

template <class T>
struct KernelForm {
  TileForm<T> tile;
  /// One rule for each set of points. A tile may have rows of one set and columns of another.
  std::vector<PackingRule> rules;
};

/// The form for several sets of points. The medians are those of the first set.
template <class T>
KernelForm<T> choose_form(const Kernel& kernel, std::span<const Points> sets, int threads);

/// The form for one set of points that is distributed over ranks. It is the same for any number of ranks. Collective.
template <class T>
KernelForm<T> choose_form(const Kernel& kernel, const Points& own, const RowSpace& rows);

}  // namespace mbsc
