extension LedgerReader {
  /// What SQLite finds wrong with the file, in its words, at most `limit` things; none where it is
  /// whole. Reads all of it.
  ///
  /// None of a PostgreSQL database: it checks its pages itself, where it was made with checksums,
  /// and refuses what is damaged.
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
