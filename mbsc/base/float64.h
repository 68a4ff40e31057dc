// SPDX-License-Identifier: Apache-2.0
// MBSC_FLOAT64(text) is `text` in a build that has the float64 solvers, and nothing in any other build.
//
// The float64 solvers verify the float32 ones in tests and benchmarks. The program and the Python package do not call
// them, and compiling them takes a fifth of the build. The CMake option MBSC_BUILD_FLOAT64 turns them on; its default is
// on if tests or benchmarks are built.
#pragma once

#ifdef MBSC_BUILD_FLOAT64
#define MBSC_FLOAT64(...) __VA_ARGS__
#else
#define MBSC_FLOAT64(...)
#endif
