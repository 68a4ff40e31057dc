// SPDX-License-Identifier: Apache-2.0
// The row of the reader table for NPZ files of scipy.sparse.save_npz: a zip archive of NPY arrays.
//     format.npy     'csr', 'csc' or 'coo'
//     shape.npy      the number of rows and of columns
//     data.npy       the weights
//     csr and csc    indptr.npy, indices.npy
//     coo            row.npy, col.npy
// The matrix in CSC form is read as the transposed matrix in CSR form: the graph is made symmetric anyway.
// Memory: the file, one unpacked array, and the graph.
#include <fmt/ranges.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "mbsc/base/require.h"
#include "mbsc/io/graph_builder.h"
#include "mbsc/io/npy_header.h"
#include "mbsc/io/npy_values.h"
#include "mbsc/io/number.h"
#include "mbsc/io/read_stream.h"
#include "mbsc/io/reader.h"
#include "mbsc/io/zip_archive.h"

namespace mbsc {
namespace {

std::string read_all(InputStream& stream) {
  std::string bytes;
  if (const auto left = stream.bytes_left()) bytes.reserve(size_t(*left));
  while (true) {
    const size_t before = bytes.size();
    bytes.resize(before + default_chunk_bytes);
    const size_t got = stream.read(bytes.data() + before, default_chunk_bytes);
    bytes.resize(before + got);
    if (got < default_chunk_bytes) return bytes;
  }
}

class NpzFile {
 public:
  explicit NpzFile(InputStream& stream) : name_(stream.name()), bytes_(read_all(stream)), archive_(bytes_, name_) {
    require(archive_.find("format.npy") != nullptr && archive_.find("data.npy") != nullptr,
            "{}: is a zip archive, but not a sparse matrix: write one with scipy.sparse.save_npz (from another .npz "
            "file, write one array with numpy.save)",
            name_);
  }

  Graph read() {
    const std::string format = text_of("format");
    require(format == "csr" || format == "csc" || format == "coo",
            "{}: a sparse matrix in the format {} is not read; save matrix.tocsr()", name_, shown(format));
    const std::vector<int64_t> shape = integers<int64_t>("shape");
    require(shape.size() == 2 && shape[0] == shape[1], "{}: the matrix of a graph must be square; its shape is ({})",
            name_, fmt::join(shape, ", "));
    check_nodes(shape[0], name_);
    if (format == "coo") return read_coordinates(shape[0]);
    GraphArrays arrays;
    arrays.starts = integers<int64_t>("indptr");
    arrays.columns = integers<int32_t>("indices");
    read_values(arrays);
    const size_t values = arrays.float32.size() + arrays.float64.size();
    require(values == arrays.columns.size(), "{}: there are {} weights (data) for {} indices", name_, values,
            arrays.columns.size());
    Graph graph = own_graph(shape[0], std::move(arrays));
    graph.by_column = format == "csc";
    return graph;
  }

 private:
  /// An array: its header and the bytes of its values.
  struct Array {
    std::string buffer;  ///< the unpacked file
    std::string what;    ///< for messages
    NpyDict dict;
    std::string_view values;
  };

  /// `array` must not move afterwards.
  void open(const char* key, Array& array) const {
    const ZipArchive::File* file = archive_.find(fmt::format("{}.npy", key));
    require(file != nullptr, "{}: the array '{}' is missing", name_, key);
    array.what = fmt::format("{}: the array '{}'", name_, key);
    array.values = archive_.content(*file, array.buffer);
    array.dict = take_npy_dict(array.values, array.what);
  }

  /// The number of values of a one-dimensional array of numbers.
  int64_t length_of(const Array& array, int64_t value_bytes) const {
    require(array.dict.shape.size() == 1, "{} must have one dimension; it has {}", array.what, array.dict.shape.size());
    const int64_t length = array.dict.shape[0];
    require(length <= int64_t(array.values.size()) / value_bytes, "{} is truncated: {} values need {} bytes, found {}",
            array.what, length, double(length) * double(value_bytes), array.values.size());
    return length;
  }

  std::string text_of(const char* key) const {
    Array array;
    open(key, array);
    const std::string_view type = array.dict.type;
    const bool is_bytes = type.starts_with("|S"), is_wide = type.starts_with("<U");
    require(is_bytes || is_wide, "{} must be a text; its type is {}", array.what, shown(type));
    std::string text;
    for (size_t i = 0; i < array.values.size(); i += is_wide ? 4 : 1)
      if (array.values[i] != '\0') text += array.values[i];
    return text;
  }

  template <class T>
  std::vector<T> integers(const char* key) const {
    Array array;
    open(key, array);
    const NpyNumber number = parse_npy_type(array.dict.type, array.what);
    require(number.type == NpyType::int32 || number.type == NpyType::int64,
            "{} must have integers of 4 or 8 bytes; its type is {}", array.what, shown(array.dict.type));
    const int64_t length = length_of(array, number.bytes);
    std::vector<T> values(static_cast<size_t>(length));
    for (int64_t i = 0; i < length; ++i) {
      const char* from = array.values.data() + i * number.bytes;
      int64_t wide = 0;
      if (number.type == NpyType::int32) {
        int32_t narrow = 0;
        std::memcpy(&narrow, from, sizeof narrow);
        wide = narrow;
      } else {
        std::memcpy(&wide, from, sizeof wide);
      }
      require(wide >= 0 && wide <= int64_t{std::numeric_limits<T>::max()}, "{}: value {} is {}, which is out of range",
              array.what, i + 1, wide);
      values[size_t(i)] = T(wide);
    }
    return values;
  }

  /// Reads the weights: float32 if the file has float32, else float64.
  void read_values(GraphArrays& arrays) const {
    Array array;
    open("data", array);
    const NpyNumber number = parse_npy_type(array.dict.type, array.what);
    const int64_t length = length_of(array, number.bytes);
    if (number.type == NpyType::float32) {
      arrays.float32.resize(size_t(length));
      converter<float>(number.type)(array.values.data(), length, arrays.float32.data());
    } else {
      arrays.float64.resize(size_t(length));
      converter<double>(number.type)(array.values.data(), length, arrays.float64.data());
    }
  }

  Graph read_coordinates(int64_t nodes) const {
    const std::vector<int32_t> rows = integers<int32_t>("row"), columns = integers<int32_t>("col");
    GraphArrays values;
    read_values(values);
    const size_t count = values.float32.size() + values.float64.size();
    require(rows.size() == count && columns.size() == count, "{}: there are {} rows, {} columns and {} weights (data)",
            name_, rows.size(), columns.size(), count);
    GraphBuilder builder;
    for (size_t e = 0; e < count; ++e) {
      for (const int32_t index : {rows[e], columns[e]})
        require(index < nodes, "{}: entry {} has the index {}; indices must be in [0, {}]", name_, e + 1, index,
                nodes - 1);
      builder.add(rows[e], columns[e], values.float32.empty() ? values.float64[e] : double(values.float32[e]));
    }
    return builder.build(nodes, name_);
  }

  std::string name_;
  std::string bytes_;
  ZipArchive archive_;
};

Certainty detect(std::string_view head, std::string_view file_name) {
  if (head.starts_with("PK\x03\x04")) return Certainty::magic;
  return file_name.ends_with(".npz") ? Certainty::name : Certainty::none;
}

}  // namespace

const Reader& npz_reader() {
  static const Reader reader = {
      .name = "npz", .is_text = false, .detect = detect, .read_graph = [](InputStream& stream, const ReadOptions&) {
        return GraphFile{NpzFile(stream).read(), {}, "npz"};
      }};
  return reader;
}

}  // namespace mbsc
