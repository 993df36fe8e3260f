#ifndef CATRACA_CSIMDJSON_H
#define CATRACA_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Swift can't call simdjson, which is C++. This is a door to one reusable DOM parser and to
// the arrays that it leaves behind, which Swift then walks without further calls.

/// A reusable parser with its buffers. One owner; not for use by two threads at once.
typedef struct catraca_json_parser catraca_json_parser;

/// Why a text was not parsed.
typedef enum {
  CATRACA_JSON_OK = 0,
  CATRACA_JSON_INVALID,
  CATRACA_JSON_INVALID_UTF8,
  CATRACA_JSON_EMPTY,
  CATRACA_JSON_TOO_DEEP,
  CATRACA_JSON_OUT_OF_MEMORY,
} catraca_json_status;

/// The result of a parse; all of it lives until the next parse or until the parser is freed.
typedef struct {
  /// simdjson's tape: one 64-bit word a node, its type in the top byte; numbers take a second word.
  const uint64_t *tape;
  /// Unescaped strings: a 32-bit length in the machine's byte order, the bytes, a NUL.
  const uint8_t *strings;
  /// Where each brace, bracket, colon, comma, string and scalar of the text starts, in order.
  const uint32_t *structurals;
  size_t structural_count;
  /// The parser's own copy of the text.
  const uint8_t *text;
  size_t text_length;
} catraca_json_document;

/// NULL when memory is short.
catraca_json_parser *catraca_json_parser_create(size_t largest_depth);
void catraca_json_parser_destroy(catraca_json_parser *parser);

/// Copies and parses `length` bytes. Fills `document` only when it answers CATRACA_JSON_OK.
catraca_json_status catraca_json_parse(
    catraca_json_parser *parser, const uint8_t *bytes, size_t length,
    catraca_json_document *document);

#ifdef __cplusplus
}
#endif

#endif
