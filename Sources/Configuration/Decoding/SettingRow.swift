/// One row of a section's table: the key, the format and the meaning of a setting.
///
/// The parser, the check, the report of changes and the reference all use these rows.
struct SettingRow<Root> {
  let key: String
  let allowed: String
  /// Whether a change applies at once. Otherwise it needs a restart.
  let isReloadable: Bool
  let meaning: String
  let read: (inout Section, inout Root) -> Void
  /// Returns the value as the reference and the log show it.
  let text: (Root) -> String

  /// Creates a setting that keeps its default if the file omits it.
  init<Value>(
    _ key: String, _ path: WritableKeyPath<Root, Value>, _ format: ValueFormat<Value>,
    isReloadable: Bool = true, _ meaning: String
  ) {
    self.key = key
    self.allowed = format.allowed
    self.isReloadable = isReloadable
    self.meaning = meaning
    self.read = { section, root in
      if let value = section.optional(key, format) { root[keyPath: path] = value }
    }
    self.text = { root in format.text(root[keyPath: path]) }
  }

  /// Creates a setting that is nil if the file omits it.
  init<Value>(
    _ key: String, _ path: WritableKeyPath<Root, Value?>, _ format: ValueFormat<Value>,
    isReloadable: Bool = true, _ meaning: String
  ) {
    self.key = key
    self.allowed = format.allowed
    self.isReloadable = isReloadable
    self.meaning = meaning
    self.read = { section, root in
      if let value = section.optional(key, format) { root[keyPath: path] = value }
    }
    self.text = { root in root[keyPath: path].map(format.text) ?? "none" }
  }
}

/// Settings with defaults that a table of rows reads.
protocol TabledSettings {
  /// Creates the defaults.
  init()
  static var rows: [SettingRow<Self>] { get }
}

extension TabledSettings {
  /// Returns the settings of this section that need a restart, by name, as text.
  func restartOnlyValues(under section: String) -> [(name: String, text: String)] {
    Self.rows.filter { !$0.isReloadable }.map { ("\(section).\($0.key)", $0.text(self)) }
  }
}

extension ValueFormat where Value: TabledSettings {
  /// A section that its table of rows reads.
  static var table: ValueFormat {
    .section { section in
      var settings = Value()
      for row in Value.rows { row.read(&section, &settings) }
      return settings
    }
  }
}
