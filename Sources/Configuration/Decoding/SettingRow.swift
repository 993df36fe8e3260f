/// One row of a section's table: where a setting is written, how, and what it means.
///
/// The parser, the check, the report of changes and the reference all come from these rows.
struct SettingRow<Root> {
  let key: String
  let allowed: String
  /// Whether an edit is in force at once; else it waits for a restart.
  let isReloadable: Bool
  let meaning: String
  let read: (inout Section, inout Root) -> Void
  /// The value in `Root`, as the reference and the log show it.
  let text: (Root) -> String

  /// A setting that keeps its default when the file is silent.
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

  /// A setting that is absent when the file is silent.
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

/// Settings with defaults, read by a table of rows.
protocol TabledSettings {
  /// The defaults.
  init()
  static var rows: [SettingRow<Self>] { get }
}

extension TabledSettings {
  /// The settings of this section that need a restart, by name, as text.
  func restartOnlyValues(under section: String) -> [(name: String, text: String)] {
    Self.rows.filter { !$0.isReloadable }.map { ("\(section).\($0.key)", $0.text(self)) }
  }
}

extension ValueFormat where Value: TabledSettings {
  /// A section read by its table of rows.
  static var table: ValueFormat {
    .section { section in
      var settings = Value()
      for row in Value.rows { row.read(&section, &settings) }
      return settings
    }
  }
}
