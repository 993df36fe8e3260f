/// `catraca version`.
enum VersionCommand {
  /// This release.
  static let number = "0.1.0"

  static let command = Command("version", "tells which release this is") {
    _ throws(CommandError) in
    CommandOutcome(.line("catraca \(number)"))
  }
}
