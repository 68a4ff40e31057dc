// SPDX-License-Identifier: Apache-2.0
// In which form a tile works out a kernel on given points, and how their coordinates are packed for it.
//
// Coordinates are taken relative to the median of each feature, where the expanded form of the distance loses least;
// where even so gamma max|x|^2 > 118 (kernel error 1e-5 in float), distances are summed up directly.
#pragma once

#include <span>
#include <vector>

#include "mbsc/affinity/kernel.h"
#include "mbsc/affinity/packing.h"
#include "mbsc/base/points.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

template <class T>
struct KernelForm {
  simd::Form form = simd::Form::cosine;
  bool direct = false;             ///< distances are summed up directly
  T gain = 1;                      ///< of the tile
  std::vector<PackingRule> rules;  ///< one for each set of points; a tile may have rows of one and columns of another

  simd::Tile<T> tile() const {
    simd::Tile<T> t;
    t.form = form;
    t.direct = direct;
    t.gain = gain;
    return t;
  }
};

/// One form for all sets; the medians are those of the first.
template <class T>
KernelForm<T> choose_form(const Kernel& kernel, std::span<const Points> sets, int threads);

/// The form of points that ranks share; collective, and the same for any number of them.
template <class T>
KernelForm<T> choose_form(const Kernel& kernel, const Points& own, const RowSpace& rows);

}  // namespace mbsc
