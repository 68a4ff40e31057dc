// SPDX-License-Identifier: Apache-2.0
// bench_tile: compares symmetric passes with SGEMM (OpenBLAS, 1024^3) in the same run. `mbsc bench` measures batches of
// columns.
//     bench_tile --benchmark_min_time=1 [--benchmark_filter=...]
#include <benchmark/benchmark.h>
#include <cblas.h>

#include "mbsc/affinity/kernel/kernel_affinity.h"

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace mbsc;

Matrix<float> filled(int64_t rows, int64_t cols) {
  Matrix<float> X(rows, cols);
  for (int64_t i = 0; i < X.size(); ++i) X.data()[i] = float((i * 2654435761u) % 1000) * 1e-3f;
  return X;
}

void count(benchmark::State& state, double operations) {
  state.counters["GFLOP/s"] = benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void sgemm(benchmark::State& state) {
  openblas_set_num_threads(int(state.range(0)));
  const int n = 1024;
  const Matrix<float> A = filled(n, n), B = filled(n, n);
  Matrix<float> C(n, n);
  for (auto _ : state)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A.data(), n, B.data(), n, 0, C.data(), n);
  count(state, 2.0 * n * n * n);
}
BENCHMARK(sgemm)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

void degree_pass(benchmark::State& state) {
  const int64_t d = state.range(0), n = 20000;
  const Matrix<float> X = filled(n, d);
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1.0 / double(d)}, RowSpace(n, int(state.range(1))));
  for (auto _ : state) benchmark::DoNotOptimize(A.degrees({}));
  count(state, double(n) * double(n) * double(d + 4));
}
BENCHMARK(degree_pass)->ArgNames({"d", "threads"})->UseRealTime()->ArgsProduct({{9, 54}, {1, 2}});

void symmetric_product(benchmark::State& state) {
  const int64_t d = state.range(0), r = state.range(1), n = 20000;
  const Matrix<float> X = filled(n, d), V = filled(n, r);
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1.0 / double(d)}, RowSpace(n, int(state.range(2))));
  Matrix<float> out(n, r);
  for (auto _ : state) A.multiply(V, out, {});
  count(state, double(n) * double(n) * double(d + 2 * r));
}
BENCHMARK(symmetric_product)->ArgNames({"d", "r", "threads"})->UseRealTime()->ArgsProduct({{9, 54, 784}, {14}, {2}});

}  // namespace

BENCHMARK_MAIN();
