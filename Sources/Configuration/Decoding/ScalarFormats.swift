internal import HTTP
public import Time

extension ValueFormat<Bool> {
  /// `true` or `false`; YAML's other spellings are refused.
  static var boolean: ValueFormat {
    .scalar("true or false") { text in
      switch text {
      case "true": true
      case "false": false
      default: nil
      }
    }
  }
}

extension ValueFormat<Int64> {
  static func integer(_ range: ClosedRange<Int64>) -> ValueFormat { .scalar(.integer(range)) }
}

extension ValueFormat<Int> {
  static func integer(_ range: ClosedRange<Int>) -> ValueFormat {
    .scalar("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      wholeNumber(text).flatMap { range.contains(Int($0)) ? Int($0) : nil }
    }
  }
}

extension ValueFormat<String> {
  /// Text of at least one character, without control characters.
  static func text(atMost limit: Int = PlainText.longest) -> ValueFormat {
    .scalar(PlainText.rule(atMost: limit), text: { $0 }) { text in
      PlainText.isValid(text, atMost: limit) ? text : nil
    }
  }

  /// The ID or name of a client, plan, key, budget or provider.
  static var name: ValueFormat {
    .scalar(.name, text: { $0 })
  }

  /// A path, relative to the configuration folder.
  static var path: ValueFormat {
    let text = ValueFormat.text(atMost: 4096)
    return ValueFormat(allowed: "a path", text: { $0 }) { node, key, context in
      text.read(node, key, context).map(context.resolve)
    }
  }
}

extension ValueFormat where Value: CaseIterable & RawRepresentable<String> {
  /// One of the raw values.
  static var choice: ValueFormat {
    let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
    return .scalar("one of \(allowed)", text: { $0.rawValue }) { Value(rawValue: $0) }
  }
}

/// The rule for the ID or name of a client, plan, key, budget or provider.
public enum EntityName {
  /// The rule of `isValid`, for messages.
  public static let rule =
    "1 to 63 letters, digits, '.', '_' and '-', beginning with a letter or digit"

  /// Whether `text` matches `[A-Za-z0-9][A-Za-z0-9._-]{0,62}`.
  public static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...63).contains(bytes.count), let first = bytes.first else { return false }
    return isAlphanumeric(first)
      && bytes.allSatisfy {
        isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
          || $0 == UInt8(ascii: "-")
      }
  }
}

/// Returns the value of decimal digits without sign, leading zero or separator; nil above Int64.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
  let digits = text.utf8
  guard let first = digits.first, digits.allSatisfy(isDigit) else { return nil }
  if first == UInt8(ascii: "0"), digits.count > 1 { return nil }
  return Int64(text)
}

func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

func isAlphanumeric(_ byte: UInt8) -> Bool {
  let lowerCase = byte | 0x20
  return isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowerCase)
}

extension ValueFormat<CivilDate> {
  static var date: ValueFormat {
    .scalar("a date such as 2026-11-01") { CivilDate($0) }
  }
}

/// A day, which begins at midnight of the reader's time zone, or a time.
public enum Moment: Hashable, Sendable {
  case startOfDay(CivilDate)
  case instant(Timestamp)

  /// Parses a date (`2027-01-01`) or a time (`2027-01-01T12:00:00-03:00`).
  public init?(_ text: String) {
    if let date = CivilDate(text) {
      self = .startOfDay(date)
    } else if let instant = Timestamp(rfc3339: text) {
      self = .instant(instant)
    } else {
      return nil
    }
  }

  public func timestamp(in zone: TimeZoneRules) -> Timestamp {
    switch self {
    case .startOfDay(let date): zone.startOfDay(date)
    case .instant(let instant): instant
    }
  }
}

extension ValueFormat<Moment> {
  static var moment: ValueFormat {
    .scalar(.moment)
  }
}
