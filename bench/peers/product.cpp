// SPDX-License-Identifier: Apache-2.0
// bench_product: measures single passes over all pairs of a file's points. Every round measures each of them once, and
// the best time counts:
//     sgemm        SGEMM (OpenBLAS, 1024^3) with the same number of threads
//     degrees      row sums and sums of squares, each pair once
//     neighbors    the same, with the 16 largest entries of each row
//     one_vector   A v without symmetry: all n columns of all rows
//     product      A V with `columns` right-hand sides, each pair once
//     cached       the same from values that the degree pass has cached (--cache)
// Right-hand sides are ((i columns + c) 2654435761 mod 2^32) / 2^32 - 1/2. Prints JSON. --output writes the product, so
// that other programs can compare theirs with it.
#include <cblas.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/io/write.h"
#include "mbsc/read.h"

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace mbsc;

struct Flags {
  std::string input, output;
  double gamma = 1;
  int64_t columns = 10, cache = 0;
  int rounds = 3, threads = 0;
};

Matrix<float> right_hand_sides(int64_t n, int64_t columns) {
  Matrix<float> V(n, columns);
  for (int64_t i = 0; i < V.size(); ++i) V.data()[i] = float(double(uint32_t(i * 2654435761)) / 4294967296.0 - 0.5);
  return V;
}

/// The largest difference of two entries, divided by the largest entry of a.
double largest_difference(const Matrix<float>& a, const Matrix<float>& b) {
  double largest = 0, size = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double(a.data()[i]) - double(b.data()[i])));
    size = std::max(size, std::abs(double(a.data()[i])));
  }
  return largest / size;
}

/// The best time of each pass. Passes are listed in the order in which they were first measured.
class Times {
 public:
  template <class Function>
  void take(const std::string& name, const Function& pass) {
    const Stopwatch clock;
    pass();
    const double seconds = clock.seconds();
    if (!best_.contains(name)) best_[name] = seconds;
    best_[name] = std::min(best_[name].get<double>(), seconds);
  }
  const nlohmann::ordered_json& best() const { return best_; }

 private:
  nlohmann::ordered_json best_;
};

int run(const Flags& flags) {
  ReadOptions options;
  options.threads = flags.threads;
  const Table table = read_table(flags.input, options);
  const Points points = table.points();
  const int64_t n = points.rows;
  const Kernel kernel{KernelKind::rbf, flags.gamma};
  const KernelAffinity<float> A(points, kernel, RowSpace(n, flags.threads));
  KernelAffinity<float> caching(points, kernel, RowSpace(n, flags.threads));
  const Matrix<float> V = right_hand_sides(n, flags.columns), v = right_hand_sides(n, 1);
  Matrix<float> product(n, flags.columns), cached(n, flags.columns), out(n, 1);
  std::vector<int64_t> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), int64_t{0});
  Matrix<float> left(1024, 1024), right(1024, 1024), both(1024, 1024);
  openblas_set_num_threads(flags.threads);

  Times times;
  for (int round = 0; round < flags.rounds; ++round) {
    for (int more = 0; more < 10; ++more)
      times.take("sgemm", [&] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1024, 1024, 1024, 1, left.data(), 1024, right.data(),
                    1024, 0, both.data(), 1024);
      });
    times.take("degrees", [&] { A.degrees({}); });
    times.take("neighbors", [&] { A.degrees({}, {}, 16); });
    times.take("one_vector", [&] { A.multiply_columns(all, v, out, {}); });
    times.take("product", [&] { A.multiply(V, product, {}); });
    if (flags.cache == 0) continue;
    if (round == 0) {
      caching.keep_values(flags.cache);
      caching.degrees({});
    }
    times.take("cached", [&] { caching.multiply(V, cached, {}); });
  }
  nlohmann::ordered_json result{{"n", n},
                                {"d", points.features},
                                {"columns", flags.columns},
                                {"threads", flags.threads},
                                {"rounds", flags.rounds},
                                {"sgemm_gflops", 2e-9 * 1024 * 1024 * 1024 / times.best()["sgemm"].get<double>()},
                                {"seconds", times.best()}};
  if (flags.cache > 0) {
    result["cached_bytes"] = caching.cached_bytes();
    result["cached_relative_difference"] = largest_difference(product, cached);
  }
  if (!flags.output.empty()) write_npy(flags.output, product);
  fmt::print("{}\n", result.dump(1));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("times passes over all pairs of points");
  Flags flags;
  app.add_option("input", flags.input, "file of points (.npy, .csv, ...) without labels")->required();
  app.add_option("--gamma", flags.gamma, "gamma of exp(-gamma |x-y|^2)");
  app.add_option("--columns", flags.columns, "number of right-hand sides [10]");
  app.add_option("--cache", flags.cache, "bytes for kernel values that are kept; more than 0 measures `cached` [0]")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--rounds", flags.rounds, "number of rounds [3]");
  app.add_option("--threads", flags.threads, "number of threads; 0 = all [0]");
  app.add_option("--output", flags.output, "file for the product, .npy");
  CLI11_PARSE(app, count, words);
  if (flags.threads == 0) flags.threads = mbsc::default_threads();
  try {
    return run(flags);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_product: {}\n", error.what());
    return 2;
  }
}
