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

// Four hexadecimal digits that the parser has already checked.
uint32_t code_unit(const uint8_t *digits) noexcept {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) {
    uint8_t digit = digits[i];
    value = value << 4 | (digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10u);
  }
  return value;
}

bool is_high_surrogate(uint32_t unit) noexcept { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low_surrogate(uint32_t unit) noexcept { return unit >= 0xdc00 && unit < 0xe000; }

// simdjson 3.0.1 takes the low half of a pair on trust. `text` is otherwise valid JSON, so that
// every backslash starts an escape which ends within it.
bool surrogates_are_paired(const uint8_t *text, size_t length) noexcept {
  const uint8_t *end = text + length;
  while (const void *found = std::memchr(text, '\\', static_cast<size_t>(end - text))) {
    const uint8_t *escape = static_cast<const uint8_t *>(found);
    if (escape[1] != 'u') {
      text = escape + 2;
      continue;
    }
    uint32_t unit = code_unit(escape + 2);
    text = escape + 6;
    if (is_low_surrogate(unit)) return false;
    if (!is_high_surrogate(unit)) continue;
    if (end - text < 6 || text[0] != '\\' || text[1] != 'u') return false;
    if (!is_low_surrogate(code_unit(text + 2))) return false;
    text += 6;
  }
  return true;
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
  if (!surrogates_are_paired(text, length)) return CATRACA_JSON_LONE_SURROGATE;

  document->tape = parser.doc.tape.get();
  document->strings = parser.doc.string_buf.get();
  document->structurals = parser.implementation->structural_indexes.get();
  document->structural_count = parser.implementation->n_structural_indexes;
  document->text = text;
  document->text_length = length;
  return CATRACA_JSON_OK;
}
