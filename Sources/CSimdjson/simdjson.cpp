#define SIMDJSON_EXCEPTIONS 0
#include "CSimdjson.h"

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>

namespace dom = simdjson::dom;

namespace {

constexpr size_t smallest_capacity = 4096;

// simdjson's buffers take up to 14 bytes for each byte of text. Those of a larger text than this
// are given back at the next parse of a smaller one.
constexpr size_t retained_capacity = 1 << 20;

catraca_json_status status_of(simdjson::error_code error) noexcept {
  switch (error) {
    case simdjson::SUCCESS: return CATRACA_JSON_OK;
    case simdjson::UTF8_ERROR: return CATRACA_JSON_INVALID_UTF8;
    case simdjson::EMPTY: return CATRACA_JSON_EMPTY;
    case simdjson::DEPTH_ERROR: return CATRACA_JSON_TOO_DEEP;
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY: return CATRACA_JSON_OUT_OF_MEMORY;
    default: return CATRACA_JSON_INVALID;
  }
}

}  // namespace

struct catraca_json_parser {
  size_t largest_depth;
  size_t capacity = 0;
  dom::parser parser{};
  std::unique_ptr<uint8_t[]> text{};

  explicit catraca_json_parser(size_t depth) noexcept : largest_depth(depth) {}

  bool reserve(size_t length) noexcept {
    bool is_oversized = capacity > retained_capacity && length <= retained_capacity;
    if (length <= capacity && !is_oversized) return true;
    size_t wanted = smallest_capacity;
    while (wanted < length) wanted *= 2;
    capacity = 0;
    parser = dom::parser();
    text.reset(new (std::nothrow) uint8_t[wanted + simdjson::SIMDJSON_PADDING]);
    if (!text || parser.allocate(wanted, largest_depth) || parser.doc.allocate(wanted)) {
      return false;
    }
    capacity = wanted;
    return true;
  }
};

catraca_json_parser *catraca_json_parser_create(size_t largest_depth) {
  return new (std::nothrow) catraca_json_parser(largest_depth);
}

void catraca_json_parser_destroy(catraca_json_parser *parser) { delete parser; }

catraca_json_status catraca_json_parse(
    catraca_json_parser *owner, const uint8_t *bytes, size_t length,
    catraca_json_document *document) {
  if (length == 0) return CATRACA_JSON_EMPTY;
  if (!owner->reserve(length)) return CATRACA_JSON_OUT_OF_MEMORY;
  uint8_t *text = owner->text.get();
  std::memcpy(text, bytes, length);
  std::memset(text + length, 0, simdjson::SIMDJSON_PADDING);

  dom::parser &parser = owner->parser;
  auto error = parser.parse(text, length, false).error();
  if (error) return status_of(error);

  document->tape = parser.doc.tape.get();
  document->strings = parser.doc.string_buf.get();
  document->structurals = parser.implementation->structural_indexes.get();
  document->structural_count = parser.implementation->n_structural_indexes;
  document->text = text;
  document->text_length = length;
  return CATRACA_JSON_OK;
}
