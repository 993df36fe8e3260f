/// Writes lines of comma-separated values (RFC 4180) into a byte array.
public struct CSVWriter {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []
  private var isLineBegun = false

  public init() {}

  /// Writes a line of texts.
  public mutating func line(_ fields: some Sequence<String>) {
    for text in fields { field(text) }
    endLine()
  }

  /// Writes one field. A field with a comma, quote or line break is quoted.
  ///
  /// Spreadsheets compute a field that begins like a formula, even in quotes, and a formula can
  /// send the sheet's contents elsewhere. Apps choose the names of users, conversations and models,
  /// so such a field gets an apostrophe in front, unless it is a number. Leading spaces and
  /// invisible characters are ignored, and full-width signs count too. Example: `=1+1` becomes
  /// `'=1+1`, ` ＝1+1` becomes `' ＝1+1`, and `-0.5` stays as it is.
  public mutating func field(_ text: String) {
    separate()
    var text = CSVWriter.isFormula(text) ? "'\(text)" : text
    text.withUTF8 { utf8 in
      guard utf8.contains(where: CSVWriter.needsQuotes) else {
        bytes.append(contentsOf: utf8)
        return
      }
      bytes.append(CSVWriter.quote)
      for byte in utf8 {
        if byte == CSVWriter.quote { bytes.append(CSVWriter.quote) }
        bytes.append(byte)
      }
      bytes.append(CSVWriter.quote)
    }
  }

  public mutating func endLine() {
    bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    isLineBegun = false
  }

  private mutating func separate() {
    if isLineBegun { bytes.append(UInt8(ascii: ",")) }
    isLineBegun = true
  }

  private static func isFormula(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    if lineSigns.contains(first) { return true }
    // Most fields begin with these characters and need no further check.
    switch first {
    case "a"..."z", "A"..."Z", "0"..."9", "{": return false
    default: break
    }
    let seen = text.unicodeScalars.first { !isInvisible($0) }
    guard let seen, formulaBegins.contains(seen) else { return false }
    return !isNumber(text.utf8)
  }

  /// Whether the character is a space, a control, or has no width.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint {
      return true
    }
    switch scalar.properties.generalCategory {
    case .control, .format: return true
    default: return false
    }
  }

  /// Whether the text is digits with at most one leading sign and one decimal point.
  private static func isNumber(_ text: String.UTF8View) -> Bool {
    let signs = [UInt8(ascii: "-"), UInt8(ascii: "+")]
    let digits = text.first.map(signs.contains) == true ? text.dropFirst() : text[...]
    let parts = digits.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  private static let lineSigns: Set<Unicode.Scalar> = ["\t", "\r", "\n"]
  /// The characters that begin a formula: ASCII, full-width and small forms, and the mathematical
  /// minus.
  private static let formulaBegins = Set("=+-@＝＋－＠﹦﹢﹣﹫−".unicodeScalars)
  private static let quote = UInt8(ascii: "\"")

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == quote || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\r")
      || byte == UInt8(ascii: "\n")
  }
}

extension CSVWriter {
  /// Writes a line of a row's values. A missing value is an empty field.
  mutating func line(_ fields: some Sequence<RowField>) {
    for value in fields {
      switch value {
      case .text(let text), .json(let text): field(text ?? "")
      case .integer(let number): field(number.map { String($0) } ?? "")
      case .boolean(let value): field(value ? "true" : "false")
      }
    }
    endLine()
  }
}
