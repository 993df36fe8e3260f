internal import Configuration
internal import Time

/// The format of an argument or option: it turns the text into a value.
struct ArgumentFormat<Value>: Sendable {
  /// The placeholder for the value in the help, such as `DIR`; nil for a flag.
  let valueName: String?
  /// The allowed values, as the words after `allowed: ` in a message.
  let allowed: String
  /// The shell's completions for it.
  let completion: ValueCompletion
  let parse: @Sendable (String) -> Value?

  init(
    _ valueName: String?, allowed: String, completion: ValueCompletion = .nothing,
    parse: @escaping @Sendable (String) -> Value?
  ) {
    self.valueName = valueName
    self.allowed = allowed
    self.completion = completion
    self.parse = parse
  }
}

extension ArgumentFormat {
  /// A format that options share with other doors.
  init(_ valueName: String, _ format: TextFormat<Value>) {
    self.init(valueName, allowed: format.allowed, parse: format.parse)
  }
}

extension ArgumentFormat<Bool> {
  /// The texts that the parser keeps for a flag.
  static let present = "true"
  static let absent = "false"

  static var presence: ArgumentFormat {
    ArgumentFormat(nil, allowed: "no value") { $0 == present }
  }
}

extension ArgumentFormat<String> {
  static func text(_ valueName: String) -> ArgumentFormat {
    ArgumentFormat(valueName, .plain)
  }

  static func path(_ valueName: String) -> ArgumentFormat {
    ArgumentFormat(valueName, allowed: "a path", completion: .paths) { $0.isEmpty ? nil : $0 }
  }

  /// The id or name of a client, key or plan.
  static func name(_ valueName: String) -> ArgumentFormat {
    ArgumentFormat(valueName, .name)
  }
}

extension ArgumentFormat<Int64> {
  static func integer(_ range: ClosedRange<Int64>) -> ArgumentFormat {
    ArgumentFormat("N", .integer(range))
  }
}

extension ArgumentFormat where Value: CaseIterable & RawRepresentable<String> & Sendable {
  /// One of the raw values.
  static func choice(_ valueName: String) -> ArgumentFormat {
    let choices = Value.allCases.map(\.rawValue)
    return ArgumentFormat(
      valueName, allowed: "one of \(choices.joined(separator: ", "))", completion: .choices(choices)
    ) { Value(rawValue: $0) }
  }
}

extension ArgumentFormat {
  /// Several values, with commas between them.
  static func list<Item>(of item: ArgumentFormat<Item>) -> ArgumentFormat
  where Value == [Item] {
    let name = item.valueName ?? ""
    return ArgumentFormat(
      "\(name),\(name)…", allowed: "\(item.allowed); several with commas between them"
    ) { text in
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let items = parts.compactMap { item.parse(String($0)) }
      return items.count == parts.count ? items : nil
    }
  }
}

extension ArgumentFormat<ModelPattern> {
  static var modelPattern: ArgumentFormat { ArgumentFormat("P", .modelPattern) }
}

extension ArgumentFormat<Moment> {
  static var moment: ArgumentFormat { ArgumentFormat("T", .moment) }
}

extension ArgumentFormat<Duration> {
  private static var secondsPerUnit: [Character: Int64] {
    ["s": 1, "m": 60, "h": 3600, "d": 86_400]
  }

  /// How far to look back: `30m`, `6h`, `7d`.
  static var lookback: ArgumentFormat {
    let longest: Int64 = 3660 * 86_400
    return ArgumentFormat("T", allowed: "a time with its unit (s, m, h, d), such as 30m or 7d") {
      guard let unit = $0.last.flatMap({ secondsPerUnit[$0] }),
        let count = ArgumentFormat<Int64>.integer(1...longest).parse(String($0.dropLast())),
        count <= longest / unit
      else { return nil }
      return .seconds(count * unit)
    }
  }
}

extension ArgumentFormat<TimeZoneRules> {
  static var timeZone: ArgumentFormat { ArgumentFormat("ZONE", .timeZone) }
}

extension ArgumentFormat<LedgerSettings.Location> {
  static var ledgerLocation: ArgumentFormat {
    ArgumentFormat("URL", allowed: LedgerSettings.Location.rule) { LedgerSettings.Location($0) }
  }
}
