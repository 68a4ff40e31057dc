// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "mbsc/base/memory.h"
#include "mbsc/base/require.h"
#include "mbsc/io/number.h"

namespace mbsc {
namespace {

// The parts of an archive begin with a signature and have a fixed part, which may be followed by names and comments.
constexpr std::string_view local_signature = "PK\x03\x04", directory_signature = "PK\x01\x02",
                           end_signature = "PK\x05\x06", end64_signature = "PK\x06\x06",
                           locator_signature = "PK\x06\x07";
constexpr size_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56, locator_bytes = 20;
constexpr uint64_t none16 = 0xFFFF, none32 = 0xFFFFFFFF;  // the value is in the 64-bit extension

/// A little-endian number. The bytes must exist.
uint64_t number_at(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// The part of `bytes` from `offset` on that begins with `signature` and has at least `count` bytes; empty if there is
/// none.
std::string_view part_at(std::string_view bytes, uint64_t offset, std::string_view signature, size_t count) {
  if (offset > bytes.size() || bytes.size() - offset < count) return {};
  const std::string_view part = bytes.substr(size_t(offset));
  return part.starts_with(signature) ? part : std::string_view();
}

/// Replaces the values of an entry that do not fit into 32 bits by those of its 64-bit extension (field 1). Returns
/// false if the extension lacks a value.
bool extend(std::string_view fields, ZipArchive::File& file) {
  std::string_view extension;
  while (fields.size() >= 4) {
    const uint64_t id = number_at(fields, 0, 2), length = number_at(fields, 2, 2);
    if (length > fields.size() - 4) return false;
    if (id == 1) extension = fields.substr(4, size_t(length));
    fields.remove_prefix(4 + size_t(length));
  }
  for (uint64_t* value : {&file.unpacked, &file.packed, &file.offset}) {
    if (*value != none32) continue;
    if (extension.size() < 8) return false;
    *value = number_at(extension, 0, 8);
    extension.remove_prefix(8);
  }
  return true;
}

std::string inflate_all(std::string_view packed, size_t size, const std::string& name) {
  std::string content(size, '\0');
  z_stream stream{};
  require(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "zlib could not be initialized");
  size_t taken = 0, done = 0;
  int status = Z_OK;
  constexpr size_t most = size_t{1} << 30;  // zlib counts 32-bit lengths
  while (status == Z_OK) {
    const size_t in = std::min(packed.size() - taken, most), out = std::min(size - done, most);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + done);
    stream.avail_out = static_cast<uInt>(out);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    done += out - stream.avail_out;
  }
  inflateEnd(&stream);
  require(status == Z_STREAM_END && done == size, "{}: the compressed data is damaged: {} of {} bytes are readable",
          name, done, size);
  return content;
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  // A comment of up to 65,535 bytes may follow the end record.
  size_t end = std::string_view::npos;
  for (size_t length = 0; length <= none16 && length + end_bytes <= bytes.size(); ++length) {
    const size_t at = bytes.size() - end_bytes - length;
    if (bytes.substr(at, 4) != end_signature || number_at(bytes, at + 20, 2) != length) continue;
    end = at;
    break;
  }
  require(end != std::string_view::npos, "{}: is not a complete zip archive: it has no end record", name_);
  uint64_t count = number_at(bytes, end + 10, 2), size = number_at(bytes, end + 12, 4),
           offset = number_at(bytes, end + 16, 4);
  if (count == none16 || size == none32 || offset == none32) {
    const std::string_view locator = end < locator_bytes
                                         ? std::string_view()
                                         : part_at(bytes, end - locator_bytes, locator_signature, locator_bytes);
    const std::string_view record =
        locator.empty() ? locator : part_at(bytes, number_at(locator, 8, 8), end64_signature, end64_bytes);
    require(!record.empty(), "{}: the 64-bit end record of the zip archive is missing", name_);
    count = number_at(record, 32, 8);
    size = number_at(record, 40, 8);
    offset = number_at(record, 48, 8);
  }
  read_directory(offset, size, count);
}

void ZipArchive::read_directory(uint64_t offset, uint64_t size, uint64_t count) {
  require(offset <= bytes_.size() && size <= bytes_.size() - offset && count <= size / entry_bytes,
          "{}: the directory of the zip archive ({} files, {} bytes at {}) is not in the file", name_, count, size,
          offset);
  std::string_view rest = bytes_.substr(size_t(offset), size_t(size));
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view entry = part_at(rest, 0, directory_signature, entry_bytes);
    const uint64_t name = entry.empty() ? 0 : number_at(entry, 28, 2),
                   extra = entry.empty() ? 0 : number_at(entry, 30, 2),
                   comment = entry.empty() ? 0 : number_at(entry, 32, 2);
    File file;
    bool is_valid = !entry.empty() && name + extra + comment <= entry.size() - entry_bytes;
    if (is_valid) {
      file.name = entry.substr(entry_bytes, size_t(name));
      file.is_encrypted = (number_at(entry, 8, 2) & 1) != 0;
      file.method = number_at(entry, 10, 2);
      file.checksum = number_at(entry, 16, 4);
      file.packed = number_at(entry, 20, 4);
      file.unpacked = number_at(entry, 24, 4);
      file.offset = number_at(entry, 42, 4);
      is_valid = extend(entry.substr(entry_bytes + size_t(name), size_t(extra)), file);
    }
    require(is_valid, "{}: entry {} of the directory of the zip archive is damaged", name_, i + 1);
    files_.push_back(std::move(file));
    rest.remove_prefix(entry_bytes + size_t(name + extra + comment));
  }
}

const ZipArchive::File* ZipArchive::find(std::string_view name) const {
  for (const File& file : files_)
    if (file.name == name) return &file;
  return nullptr;
}

std::string_view ZipArchive::content(const File& file, std::string& buffer) const {
  const std::string what = fmt::format("{}: {} in the archive", name_, shown(file.name));
  require(!file.is_encrypted, "{} is encrypted", what);
  require(file.method == 0 || file.method == 8, "{} has the compression method {}; 0 (stored) and 8 (deflate) are read",
          what, file.method);
  const std::string_view header = part_at(bytes_, file.offset, local_signature, local_bytes);
  require(!header.empty(), "{} is not where the directory says, at byte {}", what, file.offset);
  const uint64_t before = local_bytes + number_at(header, 26, 2) + number_at(header, 28, 2);
  require(before <= header.size() && file.packed <= header.size() - before, "{} is truncated: {} bytes are missing",
          what, before + file.packed - header.size());
  const std::string_view packed = header.substr(size_t(before), size_t(file.packed));
  std::string_view content = packed;
  if (file.method == 8) {
    // Deflate makes 1,032 bytes of one at most, so a larger size is not true.
    require(file.unpacked / 1100 <= file.packed && file.unpacked <= uint64_t(available_memory_bytes()),
            "{} states a size of {} bytes, which is not possible", what, file.unpacked);
    buffer = inflate_all(packed, size_t(file.unpacked), what);
    content = buffer;
  }
  require(content.size() == file.unpacked, "{} has {} bytes; its size is stated as {}", what, content.size(),
          file.unpacked);
  uLong checksum = crc32(0, nullptr, 0);
  for (size_t at = 0; at < content.size(); at += size_t{1} << 30)
    checksum = crc32(checksum, reinterpret_cast<const Bytef*>(content.data() + at),
                     static_cast<uInt>(std::min(content.size() - at, size_t{1} << 30)));
  require(checksum == file.checksum, "{} is damaged: its checksum is wrong", what);
  return content;
}

}  // namespace mbsc
