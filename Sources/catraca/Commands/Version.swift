/// `catraca version`.
enum Version {
  /// This release.
  static let number = "0.1.0"

  static let command = Command("version", "tells which release this is") {
    _ throws(CommandError) in
    Outcome(.line("catraca \(number)"))
  }
}
