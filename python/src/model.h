// SPDX-License-Identifier: Apache-2.0
// The parts of a model as arrays and numbers in a dictionary, which the Python package keeps and saves.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "mbsc/model.h"

namespace mbsc::python {

/// The affinity that has this word of the command line or of Python.
AffinityKind affinity_of(const std::string& name);

/// The parts of a model with landmarks. Takes the arrays of `extension`.
nanobind::dict landmarks_of(LandmarkExtension& extension);

/// The parts of a neighbor graph. The arrays are views, which keep the graph alive.
nanobind::dict parts_of(const std::shared_ptr<const FittedGraph>& graph);

/// The points of a model, with their scaling. They are not copied: `kept` keeps their array alive.
Points scaled_points_of(const nanobind::dict& given, std::vector<nanobind::object>& kept);

/// The model of a dictionary. The points are not copied: `kept` keeps their array alive.
Model model_of(const nanobind::dict& given, std::vector<nanobind::object>& kept);

}  // namespace mbsc::python
