// SPDX-License-Identifier: Apache-2.0
// The products that extend eigenvectors to new points (model.h has the formulas).
#pragma once

#include <vector>

#include "mbsc/affinity/kernel/rectangular_product.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/model.h"

namespace mbsc {

/// The parts of L besides the affinities.
struct Normalization {
  double mean_degree = 0, tau = 0;
  std::vector<double> s;  ///< (d_j + tau)^-1/2
};
Normalization find_normalization(const Model& model, const RowSpace& space);

/// Throws InvalidInput unless the sizes of the parts of the model fit each other and the points.
void check_model(const Model& model, const Points& points);

/// out = the affinities of the rows pairs.rows of X to the training points, times V.
void multiply_affinities(const Model& model, const Points& X, const RectangularPairs& pairs, MatrixView<const float> V,
                         MatrixView<double> out, int threads, const StopToken& stop);

/// Returns a row for each of pairs.rows: z(x), followed by d(x).
Matrix<double> extended_products(const Model& model, const Points& X, const RectangularPairs& pairs,
                                 const Normalization& norm, int threads, const StopToken& stop);

}  // namespace mbsc
