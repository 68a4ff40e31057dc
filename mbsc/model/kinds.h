// SPDX-License-Identifier: Apache-2.0
// predict() for each kind of model. The points have the scaling of the model.
#pragma once

#include "mbsc/model.h"

namespace mbsc {

/// The model has the training points, or a matrix of affinities (predict.cpp).
Prediction predict_by_points(const Model& model, const Points& points, int threads, const StopToken& stop);
/// The model has landmarks (predict_by_landmarks.cpp).
Prediction predict_by_landmarks(const Model& model, const Points& points, int threads, const StopToken& stop);

/// The label of a row of the scaled embedding: the nearest center of k-means, or the strongest direction of cluster_qr.
int32_t label_of(const Model& model, const float* row);

}  // namespace mbsc
