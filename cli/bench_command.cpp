// SPDX-License-Identifier: Apache-2.0
// mbsc bench: how fast this machine evaluates kernel values, compared with its matrix multiplication (SGEMM).
//
// A product multiplies n rows by a batch of m = 1,000 columns, for points with d features and r right-hand sides. It
// takes 2 n m (d + r) operations. The comparison is an SGEMM of size 1024^3 by OpenBLAS, MKL or BLIS, whichever is
// found at run time. All measurements run in turn, many times, for some milliseconds each. The best one of each kind
// counts: other work on the machine slows some of them down, but not all.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/base/require.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/simd/tile.h"

namespace mbsc::cli {
namespace {

struct BenchFlags {
  int64_t n = 0, features = 0, clusters = 10;
  int threads = 0;
  double seconds = 45;
  bool json = false;
};

/// cblas_sgemm of the first fast BLAS library that is found.
class Sgemm {
 public:
  Sgemm() {
    for (const char* name : {"libopenblas.so.0", "libmkl_rt.so.2", "libblis.so.4"}) {
      void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) continue;
      multiply_ = reinterpret_cast<Multiply>(dlsym(library, "cblas_sgemm"));
      for (const char* set : {"openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads"})
        if (set_threads_ == nullptr) set_threads_ = reinterpret_cast<SetThreads>(dlsym(library, set));
      if (multiply_ == nullptr) continue;
      name_ = name;
      return;
    }
  }
  /// The file name of the library; empty if none was found.
  const std::string& name() const { return name_; }
  double gflops(int threads) {
    if (set_threads_ != nullptr) set_threads_(threads);
    constexpr int n = 1024, row_major = 101, not_transposed = 111;
    if (A_.empty()) A_ = Matrix<float>(n, n), B_ = Matrix<float>(n, n), C_ = Matrix<float>(n, n);
    const Stopwatch clock;
    multiply_(row_major, not_transposed, not_transposed, n, n, n, 1, A_.data(), n, B_.data(), n, 0, C_.data(), n);
    return 2e-9 * n * n * n / clock.seconds();
  }

 private:
  using Multiply = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
                            int);
  using SetThreads = void (*)(int);
  Multiply multiply_ = nullptr;
  SetThreads set_threads_ = nullptr;
  std::string name_;
  Matrix<float> A_, B_, C_;
};

Matrix<float> filled(int64_t rows, int64_t cols) {
  Matrix<float> X(rows, cols);
  for (int64_t i = 0; i < X.size(); ++i) X.data()[i] = float((uint64_t(i) * 2654435761u) % 1000) * 1e-3f;
  return X;
}

/// One size of product, and the best rate that was measured.
struct Product {
  int64_t d, r;
  int threads;
  double pairs_per_second = 0;
  double gflops() const { return 2e-9 * double(d + r) * pairs_per_second; }

  void measure() {
    constexpr int64_t m = 1000;
    // About 10^8 operations per thread. At least 4,096 rows per thread, so that the threads have equal work and the
    // time to pack the columns is negligible.
    const int64_t n =
        std::max<int64_t>(4096 * threads, std::min<int64_t>(100'000, threads * 100'000'000 / (2 * m * (d + r))));
    const Matrix<float> X = filled(n, d), C = filled(m, r);
    const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1 / double(d)}, RowSpace(n, threads));
    std::vector<int64_t> columns(m);
    for (int64_t j = 0; j < m; ++j) columns[size_t(j)] = j * n / m;
    Matrix<float> out(n, r);
    for (int twice = 0; twice < 2; ++twice) {  // the first time also fetches memory
      const Stopwatch clock;
      A.multiply_columns(columns, C, out, {});
      pairs_per_second = std::max(pairs_per_second, double(n) * double(m) / clock.seconds());
    }
  }
};

int run(const BenchFlags& flags) {
  require(flags.seconds > 0, "--seconds must be positive; got {}", flags.seconds);
  require(flags.n >= 0 && flags.features >= 0 && flags.clusters > 0, "--n, --features and --clusters must be positive");
  require((flags.n > 0) == (flags.features > 0), "--n and --features go together");
  const StopToken stop = stop_on_interrupt();
  const int most = flags.threads > 0 ? flags.threads : default_threads();
  std::vector<int> thread_counts{1};
  if (most > 1) thread_counts.push_back(most);
  std::vector<Product> products;
  for (const int threads : thread_counts)
    for (const int64_t d : {2, 9, 16, 54, 128, 784})
      for (const int64_t r : {1, 8, 16, 32}) products.push_back({d, r, threads});
  const bool predicts = flags.n > 0;
  if (predicts) products.push_back({flags.features, 3 * flags.clusters, most});

  Sgemm sgemm;
  std::vector<double> sgemm_gflops(size_t(most) + 1, 0.0);
  const Stopwatch clock;
  do {
    for (Product& product : products) {
      if (stop.stop_requested()) throw Stopped();
      double& best = sgemm_gflops[size_t(product.threads)];
      if (!sgemm.name().empty()) best = std::max(best, sgemm.gflops(product.threads));
      product.measure();
    }
  } while (clock.seconds() < flags.seconds);

  const auto share = [&](const Product& product) { return product.gflops() / sgemm_gflops[size_t(product.threads)]; };
  std::optional<double> pass;
  double pass_rate = 0;
  if (predicts) {
    pass_rate = products.back().pairs_per_second;
    pass = double(flags.n) * double(flags.n) / pass_rate;
    products.pop_back();
  }
  if (flags.json) {
    nlohmann::ordered_json j{
        {"simd", simd::level_name()}, {"sgemm", nullptr}, {"tile", nlohmann::ordered_json::array()}};
    if (!sgemm.name().empty()) j["sgemm"] = sgemm.name();
    for (const Product& p : products) {
      nlohmann::ordered_json row{{"d", p.d},
                                 {"right_hand_sides", p.r},
                                 {"threads", p.threads},
                                 {"pairs_per_second", p.pairs_per_second},
                                 {"gflops", p.gflops()},
                                 {"sgemm_gflops", nullptr},
                                 {"share", nullptr}};
      if (!sgemm.name().empty()) {
        row["sgemm_gflops"] = sgemm_gflops[size_t(p.threads)];
        row["share"] = share(p);
      }
      j["tile"].push_back(row);
    }
    if (pass)
      j["pass"] = {{"n", flags.n},    {"d", flags.features},           {"clusters", flags.clusters},
                   {"threads", most}, {"pairs_per_second", pass_rate}, {"seconds", *pass}};
    fmt::print("{}\n", j.dump(2));
    return done;
  }
  for (const int threads : thread_counts) {
    if (sgemm.name().empty())
      fmt::print("{} thread{}, {}; no SGEMM to compare with (install libopenblas0)\n", threads, threads > 1 ? "s" : "",
                 simd::level_name());
    else
      fmt::print("{} thread{}, {}; SGEMM ({}) {:.1f} GFLOP/s\n", threads, threads > 1 ? "s" : "", simd::level_name(),
                 sgemm.name(), sgemm_gflops[size_t(threads)]);
    fmt::print("{:>5} {:>17} {:>15} {:>9} {:>15}\n", "d", "right-hand sides", "pairs/s", "GFLOP/s", "share of SGEMM");
    for (const Product& p : products)
      if (p.threads == threads)
        fmt::print("{:>5} {:>17} {:>15.3g} {:>9.1f} {:>15}\n", p.d, p.r, p.pairs_per_second, p.gflops(),
                   sgemm.name().empty() ? "-" : fmt::format("{:.2f}", share(p)));
  }
  if (pass)
    fmt::print("a pass over {} points of {} features, {} clusters, {} thread{}: about {:.3g} s\n", flags.n,
               flags.features, flags.clusters, most, most > 1 ? "s" : "", *pass);
  return done;
}

}  // namespace

Command add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "measure this machine: kernel values per second, and SGEMM");
  const auto flags = std::make_shared<BenchFlags>();
  command->add_option("--n", flags->n, "also predict the time of a pass over N points");
  command->add_option("--features", flags->features, "... with that many features");
  command->add_option("--clusters,-k", flags->clusters, "... and clusters [10]");
  command->add_option("--threads", flags->threads, "the most threads to measure; 0 = all")->check(CLI::Range(0, 4096));
  command->add_option("--seconds", flags->seconds,
                      "how long to measure, about [45]; every size is measured at least once");
  command->add_flag("--json", flags->json, "print JSON");
  return [flags](const Comm& comm) { return comm.rank() == 0 ? run(*flags) : int(done); };  // one rank is enough
}

}  // namespace mbsc::cli
