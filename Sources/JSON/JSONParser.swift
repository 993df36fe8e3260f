import CSimdjson

/// The JSON reader of hot paths. It validates a whole text and leaves a flat tape to walk.
///
/// A parser is made once and used for many texts; after the first ones, a parse allocates nothing.
/// It belongs to one thread at a time. The next parse invalidates the values of a text, and using
/// one afterwards traps. That check, and simdjson's own check of the text, make the pointers in
/// here safe to use.
@safe public final class JSONParser {
  /// The longest text, in bytes, unless another limit is given: 64 MiB.
  public static let largestText = 64 << 20
  /// The deepest nesting of arrays and objects unless another limit is given.
  public static let largestDepth = 512

  private let handle: OpaquePointer
  private let longest: Int
  private let deepest: Int

  /// Stored outside the object, so that a read needs no run-time check of exclusive access.
  private let last: UnsafeMutablePointer<Parse>

  /// The result of a parse.
  @unsafe private struct Parse {
    var document = unsafe catraca_json_document()
    /// The number of the parse that made `document`. Each value stores the number of its own.
    var generation: UInt64 = 0
  }

  /// The result of the last parse; an empty document before the first.
  @unsafe @inline(__always)
  var document: catraca_json_document { unsafe last.pointee.document }

  @inline(__always)
  var generation: UInt64 { unsafe last.pointee.generation }

  /// - Parameters:
  ///   - largestText: the longest text to parse, in bytes.
  ///   - largestDepth: the deepest nesting of arrays and objects, at least 1.
  public init(
    largestText: Int = JSONParser.largestText, largestDepth: Int = JSONParser.largestDepth
  ) {
    // simdjson refuses a text at the depth that it is given, so it gets one more.
    guard let handle = unsafe catraca_json_parser_create(largestDepth + 1) else {
      fatalError("no memory for a JSON parser")
    }
    unsafe self.handle = handle
    longest = largestText
    deepest = largestDepth
    unsafe last = .allocate(capacity: 1)
    unsafe last.initialize(to: Parse())
  }

  deinit {
    unsafe last.deinitialize(count: 1)
    unsafe last.deallocate()
    unsafe catraca_json_parser_destroy(handle)
  }

  /// Parses and validates a whole text, and returns its root.
  ///
  /// The root and all values found from it are valid until the next call.
  ///
  /// - Throws: The reason why the text isn't JSON, or `tooLong`, `tooDeep` or `outOfMemory`.
  public func parse(_ text: Span<UInt8>) throws(JSONError) -> JSONValue {
    unsafe last.pointee.generation += 1
    guard text.count <= longest else { throw .tooLong(limit: longest) }
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { throw .byteOrderMark }
    let status = unsafe text.withUnsafeBufferPointer { bytes in
      unsafe catraca_json_parse(handle, bytes.baseAddress, bytes.count, &last.pointee.document)
    }
    switch status {
    case CATRACA_JSON_OK:
      return JSONValue(parser: self, generation: generation, index: JSONTape.root)
    case CATRACA_JSON_EMPTY: throw .empty
    case CATRACA_JSON_INVALID_UTF8: throw .invalidUTF8
    case CATRACA_JSON_TOO_DEEP: throw .tooDeep(limit: deepest)
    case CATRACA_JSON_OUT_OF_MEMORY: throw .outOfMemory
    default: throw .malformed
    }
  }

  /// Parses and validates a whole text, and returns its root.
  ///
  /// - Throws: The reason why the text isn't JSON, or `tooLong`, `tooDeep` or `outOfMemory`.
  public func parse(_ text: [UInt8]) throws(JSONError) -> JSONValue {
    try parse(text.span)
  }
}

/// The reason why a text isn't taken as JSON.
public enum JSONError: Error, Hashable, Sendable {
  /// No bytes, or white space only.
  case empty
  /// Not JSON, an escape that is half of a surrogate pair, or a number that neither 64 bits nor a
  /// finite double can hold.
  case malformed
  case invalidUTF8
  /// The text starts with a byte order mark, which RFC 8259 forbids.
  case byteOrderMark
  /// Arrays and objects are nested deeper than `limit`.
  case tooDeep(limit: Int)
  /// The text is longer than `limit` bytes.
  case tooLong(limit: Int)
  case outOfMemory
}

extension JSONError: CustomStringConvertible {
  /// A clause that completes "the body is not valid JSON: …".
  public var description: String {
    switch self {
    case .empty: "it is empty"
    case .malformed: "it is malformed"
    case .invalidUTF8: "it is not UTF-8"
    case .byteOrderMark: "it starts with a byte order mark"
    case .tooDeep(let limit): "it is nested deeper than \(limit) levels"
    case .tooLong(let limit): "it is longer than \(limit) bytes"
    case .outOfMemory: "it doesn't fit into memory"
    }
  }
}

/// The amount of text in a value, counted without building anything.
public struct JSONSize: Hashable, Sendable {
  /// Bytes of UTF-8 of all strings and keys, unescaped.
  public var stringBytes = 0
  /// Strings, keys, numbers, booleans, nulls, arrays and objects.
  public var nodes = 0
  public var numbers = 0

  public init() {}
}

extension JSONValue {
  /// The size of this value and of all values in it.
  public var size: JSONSize {
    var size = JSONSize()
    var position = index
    requireCurrent()
    let end = parser.index(after: index)
    while position < end {
      switch parser.type(at: position) {
      case JSONTape.string:
        size.stringBytes += parser.utf8Count(at: position)
        size.nodes += 1
      case JSONTape.integer, JSONTape.unsigned, JSONTape.real:
        size.nodes += 1
        size.numbers += 1
        position += 1
      case JSONTape.objectEnd, JSONTape.arrayEnd:
        break
      default:
        size.nodes += 1
      }
      position += 1
    }
    return size
  }
}
