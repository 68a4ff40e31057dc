// SPDX-License-Identifier: Apache-2.0
// A random table is written in every format. Reading each file gives the same bits, for any chunk size, any number of
// threads, and any range of rows.
#include <gtest/gtest.h>

#include <cstring>

#include "mbsc/base/random.h"
#include "mbsc/io/write.h"
#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

struct Sample {
  Matrix<double> values;
  std::vector<int> labels;
};

/// A third of the values are zeros, a third integers and a third real numbers. If `exact` is true, float32 represents
/// the real numbers exactly.
Sample random_sample(int64_t n, int64_t d, bool exact, uint64_t seed) {
  const Random random(seed, Stream::test);
  Sample sample{Matrix<double>(n, d), {}};
  for (int64_t i = 0; i < n; ++i) {
    const auto row = static_cast<uint64_t>(i);
    for (int64_t f = 0; f < d; ++f) {
      const auto column = static_cast<uint64_t>(2 * f);
      const int64_t kind = random.below(3, row, column);
      double value = random.normal(row, column + 1) * 1000;
      if (exact) value = static_cast<double>(static_cast<float>(value));
      sample.values(i, f) = kind == 0 ? 0 : kind == 1 ? std::round(value) : value;
    }
    sample.values(i, d - 1) = 1;  // The largest index in a LIBSVM file sets the number of features.
    sample.labels.push_back(static_cast<int>(random.below(4, row, 1u << 20)));
  }
  return sample;
}

std::string text_of(const Sample& sample, const std::string& separator, const std::string& line_end) {
  std::string text;
  for (int64_t i = 0; i < sample.values.rows(); ++i) {
    for (int64_t f = 0; f < sample.values.cols(); ++f) {
      text += fmt::format("{}{}", sample.values(i, f), separator);
    }
    text += fmt::format("{}{}", sample.labels[static_cast<size_t>(i)], line_end);
  }
  return text;
}

std::string libsvm_of(const Sample& sample) {
  std::string text;
  for (int64_t i = 0; i < sample.values.rows(); ++i) {
    text += fmt::to_string(sample.labels[static_cast<size_t>(i)]);
    for (int64_t f = 0; f < sample.values.cols(); ++f) {
      if (sample.values(i, f) != 0) text += fmt::format(" {}:{}", f + 1, sample.values(i, f));
    }
    text += '\n';
  }
  return text;
}

std::string npy_with_labels(const TemporaryFolder& folder, const Sample& sample) {
  Matrix<double> all(sample.values.rows(), sample.values.cols() + 1);
  for (int64_t i = 0; i < all.rows(); ++i) {
    std::copy_n(sample.values.row(i), sample.values.cols(), all.row(i));
    all(i, all.cols() - 1) = sample.labels[static_cast<size_t>(i)];
  }
  write_npy(folder / "points.npy", MatrixView<const double>(all.view()));
  return folder / "points.npy";
}

void expect_equal(const Table& table, const Sample& sample, Range rows) {
  ASSERT_EQ(table.rows, rows.size());
  ASSERT_EQ(table.features, sample.values.cols());
  ASSERT_EQ(table.first_row, rows.begin);
  ASSERT_EQ(std::ssize(table.truth), rows.size());
  const Points points = table.points();
  for (int64_t i = 0; i < table.rows; ++i) {
    for (int64_t f = 0; f < table.features; ++f) {
      ASSERT_EQ(points(i, f), sample.values(rows.begin + i, f)) << i << ", " << f;
    }
    const std::string& name = table.class_names[static_cast<size_t>(table.truth[static_cast<size_t>(i)])];
    ASSERT_EQ(name, fmt::to_string(sample.labels[static_cast<size_t>(rows.begin + i)]));
  }
}

class Agreement : public ::testing::TestWithParam<bool> {};

TEST_P(Agreement, EveryFormatGivesTheSameTable) {
  const bool exact = GetParam();
  const TemporaryFolder folder;
  const Sample sample = random_sample(100, 7, exact, 1);
  const std::string paths[] = {
      folder.write("comma.csv", text_of(sample, ",", "\n")),
      folder.write("tab.tsv", text_of(sample, "\t", "\r\n")),
      folder.write("space.txt", text_of(sample, "  ", "\n\n")),
      folder.write("header.csv", "a;b;c;d;e;f;g;class\n" + text_of(sample, " ; ", "\n")),
      folder.write("packed.csv.gz", gzip(text_of(sample, ",", "\n"))),
      folder.write("sparse.libsvm", libsvm_of(sample)),
      npy_with_labels(folder, sample),
  };
  for (const std::string& path : paths) {
    for (const size_t chunk : {1u, 500u, 1u << 20}) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(fmt::format("{}, chunks of {} bytes, {} threads", path, chunk, threads));
        ReadOptions options = with_label("last");
        options.threads = threads;
        const Table table = read_in_chunks(path, options, chunk);
        expect_equal(table, sample, {0, 100});
        EXPECT_EQ(table.type, exact ? ScalarType::float32 : ScalarType::float64);
      }
    }
  }
}

TEST_P(Agreement, RangeOfRowsEqualsThoseRowsOfTheWholeFile) {
  const TemporaryFolder folder;
  const Sample sample = random_sample(100, 5, GetParam(), 2);
  const std::string paths[] = {
      folder.write("header.csv", "a,b,c,d,e,class\n" + text_of(sample, ",", "\n\n")),
      folder.write("packed.csv.gz", gzip(text_of(sample, ",", "\n"))),
      folder.write("sparse.libsvm", libsvm_of(sample)),
      npy_with_labels(folder, sample),
  };
  for (const std::string& path : paths) {
    for (const Range rows :
         {Range{0, 100}, Range{0, 1}, Range{37, 64}, Range{99, 100}, Range{0, 0}, Range{50, 50}, Range{100, 100}}) {
      for (const size_t chunk : {1000u, 1u << 20}) {
        SCOPED_TRACE(fmt::format("{}, rows [{}, {}), chunks of {} bytes", path, rows.begin, rows.end, chunk));
        ReadOptions options = with_label("last");
        options.rows = rows;
        options.threads = 2;
        expect_equal(read_in_chunks(path, options, chunk), sample, rows);
      }
    }
  }
}

TEST_P(Agreement, AnyNumberOfThreadsGivesTheSameBits) {
  const TemporaryFolder folder;
  const Sample sample = random_sample(2000, 6, GetParam(), 3);
  const std::string path = folder.write("points.csv", text_of(sample, ",", "\n"));
  const Table one = read_table(path, with_label("last"));
  for (const int threads : {2, 3, 8}) {
    ReadOptions options = with_label("last");
    options.threads = threads;
    const Table many = read_in_chunks(path, options, 5000);
    ASSERT_EQ(many.memory_bytes(), one.memory_bytes());
    EXPECT_EQ(std::memcmp(many.buffer.get(), one.buffer.get(), static_cast<size_t>(one.memory_bytes())), 0);
    EXPECT_EQ(many.truth, one.truth);
    EXPECT_EQ(many.class_names, one.class_names);
  }
}

INSTANTIATE_TEST_SUITE_P(Values, Agreement, ::testing::Bool(),
                         [](const auto& exact) { return exact.param ? "Float32" : "Float64"; });

}  // namespace
}  // namespace mbsc::testing
