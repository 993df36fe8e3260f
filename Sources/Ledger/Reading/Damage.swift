extension LedgerReader {
  /// What SQLite finds wrong with the file, in its words, at most `limit` things; none where it is
  /// whole. Reads all of it.
  public func damage(atMost limit: Int) throws(LedgerError) -> [String] {
    let check = try connection.prepare("PRAGMA quick_check(\(limit))")
    var findings: [String] = []
    try check.forEachRow { () throws(LedgerError) in
      if let finding = check.text(0), finding != LedgerReader.whole { findings.append(finding) }
    }
    return findings
  }

  private static let whole = "ok"
}
