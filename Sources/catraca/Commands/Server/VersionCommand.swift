internal import Server

/// `catraca version`.
enum VersionCommand {
  static let command = Command("version", "tells which release this is") {
    _ throws(CommandError) in
    CommandOutcome(.line("catraca \(Server.version)"))
  }
}
