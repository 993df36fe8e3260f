/// A JSON text that broke off.
public enum CutJSON {
  /// The values that came whole, as a text that can be parsed; nil for anything but the beginning
  /// of an object or a list.
  ///
  /// The last value is left out, because nothing tells whether it came whole. Example: of
  /// `{"id":"a","items":[{"id":"b"},{"id":"c` remains `{"id":"a","items":[{"id":"b"},{}]}`.
  public static func repaired(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var machine = Machine()
    for byte in text { machine.take(byte) }
    return machine.repaired
  }

  private struct Machine {
    private var text: [UInt8] = []
    /// The brackets that close the open objects and lists, the outermost first.
    private var open: [UInt8] = []
    /// The bytes up to which all values came whole, and what was open there.
    private var whole: (count: Int, open: [UInt8])?
    private var isInString = false
    private var isEscaped = false

    mutating func take(_ byte: UInt8) {
      text.append(byte)
      if isInString { return takeOfString(byte) }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"): begin(UInt8(ascii: "}"))
      case UInt8(ascii: "["): begin(UInt8(ascii: "]"))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): end()
      case UInt8(ascii: ","): whole = (text.count - 1, open)
      default: break
      }
    }

    private mutating func takeOfString(_ byte: UInt8) {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
    }

    private mutating func begin(_ closing: UInt8) {
      open.append(closing)
      whole = (text.count, open)
    }

    private mutating func end() {
      _ = open.popLast()
      whole = (text.count, open)
    }

    var repaired: [UInt8]? {
      whole.map { whole in text[..<whole.count] + whole.open.reversed() }
    }
  }
}
