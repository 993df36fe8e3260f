extension LedgerReader {
  /// Returns SQLite's findings of damage in the file, at most `limit`; empty if the file is intact.
  /// It reads the whole file.
  ///
  /// For PostgreSQL, the result is always empty: a database with checksums verifies its pages
  /// itself and refuses damaged ones.
  /// - Throws: `LedgerError` if the file can't be read.
  public func damage(atMost limit: Int) throws(LedgerError) -> [String] {
    guard case .sqlite = connection.dialect else { return [] }
    let check = try connection.prepare("PRAGMA quick_check(\(limit))")
    var findings: [String] = []
    try check.forEachRow { () throws(LedgerError) in
      if let finding = check.text(0), finding != LedgerReader.whole { findings.append(finding) }
    }
    return findings
  }

  private static let whole = "ok"
}
