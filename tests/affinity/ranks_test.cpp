// SPDX-License-Identifier: Apache-2.0
// If the rows of an affinity are distributed over ranks, every result has the same bits as on one rank.
#include <gtest/gtest.h>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/affinity/matrix/matrix_affinity.h"
#include "mbsc/affinity/normalized.h"
#include "mbsc/affinity/scaling.h"
#include "mbsc/base/require.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/linalg/layouts.h"

namespace mbsc {
namespace {

using testing::all_rows;
using testing::expect_same_bits_for_every_layout;
using testing::own_part;
using testing::random_matrix;

/// Numbers of rows, for odd and even numbers of blocks, from 1 to 16 blocks of 64 rows. The last block is not full.
constexpr int64_t sizes[] = {40, 130, 700, 1000};

Points own_points(const RowSpace& space, const Matrix<float>& part) {
  Points points(part.view());
  points.first_row = space.own_rows().begin;
  return points;
}

/// Points with duplicates and one outlier.
Matrix<float> sample(int64_t n, int64_t d) {
  Matrix<float> X = random_matrix<float>(n, d, 1);
  for (int64_t i = 0; i < n; i += 7)
    for (int64_t f = 0; f < d; ++f) X(i, f) = X(i / 2, f);
  X(n - 1, 0) += 40;
  return X;
}

/// Calls work(affinity) for every layout. The numbers that work() returns must be the same on all ranks and for all
/// layouts.
template <class Work>
void expect_same_bits(const Work& work, const Kernel& kernel = {KernelKind::rbf, 0.5}) {
  for (const int64_t n : sizes) {
    const Matrix<float> X = sample(n, 5);
    expect_same_bits_for_every_layout(n, [&](const RowSpace& space) {
      const Matrix<float> part = own_part(space, X);
      KernelAffinity<float> A(own_points(space, part), kernel, space);
      return work(A);
    });
  }
}

TEST(RanksOfAnAffinity, FullProductsHaveTheSameBits) {
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::exponential, KernelKind::cosine})
    expect_same_bits(
        [](KernelAffinity<float>& A) {
          const Matrix<float> V = own_part(A.rows(), random_matrix<float>(A.n(), 3, 2));
          Matrix<float> out(V.rows(), 3);
          A.multiply(V, out, {});
          return all_rows(A.rows(), out);
        },
        {kind, 0.5});
}

/// Each rank has many blocks, and each message is too long for the buffers of a transport. A pass must not deadlock.
TEST(RanksOfAnAffinity, PassesWithManyLongMessagesDoNotDeadlock) {
  const int64_t n = 2048, d = 40;
  const Matrix<float> X = sample(n, d), V = random_matrix<float>(n, 20, 2);
  expect_same_bits_for_every_layout(n, [&](const RowSpace& space) {
    const Matrix<float> part = own_part(space, X);
    const KernelAffinity<float> A(own_points(space, part), {KernelKind::rbf, 0.05}, space);
    Matrix<float> out(space.local_rows(), 20);
    A.multiply(own_part(space, V), out, {});
    std::vector<double> all = space.comm().gather<double>(A.degrees({}, {}, 16).sum);
    for (const float value : all_rows(space, out)) all.push_back(value);
    return all;
  });
}

TEST(RanksOfAnAffinity, ProductsWithColumnsHaveTheSameBits) {
  expect_same_bits([](KernelAffinity<float>& A) {
    std::vector<int64_t> columns;
    for (int64_t j = 3; j < A.n(); j += 5) columns.push_back(j);
    Matrix<float> out(A.rows().local_rows(), 3);
    A.multiply_columns(columns, random_matrix<float>(int64_t(columns.size()), 3, 2), out, {});
    return all_rows(A.rows(), out);
  });
}

TEST(RanksOfAnAffinity, DegreesAndNeighborsHaveTheSameBits) {
  expect_same_bits([](KernelAffinity<float>& A) {
    const Degrees degrees = A.degrees({}, {}, 4);
    const Comm& comm = A.rows().comm();
    std::vector<double> all = comm.gather<double>(degrees.sum);
    const std::vector<double> squares = comm.gather<double>(degrees.squares);
    all.insert(all.end(), squares.begin(), squares.end());
    // Each edge as the global numbers of its two points and its value.
    const NeighborGraph& graph = *degrees.graph;
    const Range own = A.rows().own_rows();
    std::vector<double> edges;
    for (int64_t i = 0; i < graph.rows(); ++i)
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
        const int64_t j = graph.columns[size_t(e)];
        edges.push_back(double(own.begin + i));
        edges.push_back(double(j < own.size() ? own.begin + j : graph.others.rows()[size_t(j - own.size())]));
        edges.push_back(double(graph.values[size_t(e)]));
      }
    edges = comm.gather<double>(edges);
    all.insert(all.end(), edges.begin(), edges.end());
    return all;
  });
}

TEST(RanksOfAnAffinity, CachedValuesGiveTheSameBits) {
  for (const int64_t bytes : {int64_t{1} << 17, int64_t{1} << 30})
    expect_same_bits([&](KernelAffinity<float>& A) {
      A.keep_values(bytes);
      A.degrees({});
      const Matrix<float> V = own_part(A.rows(), random_matrix<float>(A.n(), 3, 2));
      Matrix<float> out(V.rows(), 3);
      A.multiply(V, out, {});
      std::vector<float> all = all_rows(A.rows(), out);
      all.push_back(float(A.cached_bytes()));
      return all;
    });
}

TEST(RanksOfAnAffinity, BlocksSumsAndSampledDegreesHaveTheSameBits) {
  expect_same_bits([](KernelAffinity<float>& A) {
    const RowSpace& space = A.rows();
    const std::vector<int64_t> columns{0, 5, 17, 30, 39};
    const auto block = A.take_columns(columns);
    Matrix<float> values(space.local_rows(), 5), square(5, 5);
    block->evaluate({0, space.local_rows()}, values);
    A.evaluate_square(columns, square);
    std::vector<float> rows = all_rows(space, values);
    rows.insert(rows.end(), square.data(), square.data() + square.size());
    std::vector<double> all(rows.begin(), rows.end());
    const ColumnSums sums = A.sum_columns(columns, {});
    for (const auto* part : {&sums.columns.sum, &sums.columns.squares})
      all.insert(all.end(), part->begin(), part->end());
    const SampledDegrees sampled = sample_degrees(A, 20, 0, {});
    for (const auto* part : {&sampled.degrees.sum, &sampled.degrees.variance}) {
      const std::vector<double> everybody = space.comm().gather<double>(*part);
      all.insert(all.end(), everybody.begin(), everybody.end());
    }
    return all;
  });
}

TEST(RanksOfAnAffinity, APrecomputedMatrixHasTheSameBits) {
  for (const int64_t n : {int64_t{40}, int64_t{200}}) {
    const Eigen::MatrixXd dense = testing::dense_affinity(Points(sample(n, 5).view()), {KernelKind::rbf, 0.5});
    Matrix<float> stored(n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) stored(i, j) = float(dense(i, j));
    expect_same_bits_for_every_layout(n, [&](const RowSpace& space) {
      const Matrix<float> part = own_part(space, stored);
      const MatrixAffinity<float> A(own_points(space, part), space);
      const Matrix<float> V = own_part(space, random_matrix<float>(n, 3, 2));
      Matrix<float> out(V.rows(), 3), square(3, 3);
      A.multiply(V, out, {});
      A.evaluate_square(std::vector<int64_t>{39, 2, 11}, square);
      std::vector<float> all = all_rows(space, out);
      all.insert(all.end(), square.data(), square.data() + square.size());
      all.push_back(float(A.self_similarity()));
      for (const double d : space.comm().gather<double>(A.degrees({}).sum)) all.push_back(float(d));
      return all;
    });
    for (const int ranks : {1, 2, 3}) {
      Matrix<float> wrong = stored;
      wrong(n - 1, 1) += 0.5f;
      testing::on_ranks(ranks, [&](const Comm& comm) {
        const RowSpace space(n, 1, comm);
        const Matrix<float> part = own_part(space, wrong);
        EXPECT_THROW(MatrixAffinity<float>(own_points(space, part), space), InvalidInput) << "on every rank";
      });
    }
  }
}

TEST(RanksOfPoints, ScalingGammaAndDistinctPointsAreTheSame) {
  for (const int64_t n : sizes) {
    const Matrix<float> X = sample(n, 5);
    expect_same_bits_for_every_layout(n, [&](const RowSpace& space) {
      const Matrix<float> part = own_part(space, X);
      std::vector<double> all;
      for (const Scaling scaling : {Scaling::unit, Scaling::symmetric, Scaling::standard})
        for (const int64_t rows : {int64_t{0}, n / 2}) {
          Points points = own_points(space, part);
          apply_scaling(points, scaling, rows, space);
          all.insert(all.end(), points.shift.begin(), points.shift.end());
          all.insert(all.end(), points.scale.begin(), points.scale.end());
          if (scaling == Scaling::unit) all.push_back(choose_gamma(points, KernelKind::rbf, 3, 0, space));
        }
      all.push_back(double(count_distinct(own_points(space, part), 30, space)));
      return all;
    });
  }
}

TEST(RanksOfPoints, GammaOfManyEqualPointsComesFromTheFirstPointThatDiffers) {
  const int64_t n = 5000;
  Matrix<float> X(n, 2);
  X(4990, 1) = 3;
  X(4995, 1) = 5;
  expect_same_bits_for_every_layout(n, [&](const RowSpace& space) {
    const Matrix<float> part = own_part(space, X);
    return std::vector<double>{choose_gamma(own_points(space, part), KernelKind::rbf, 2, 3, space)};
  });
}

}  // namespace
}  // namespace mbsc
