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
