internal import Configuration
internal import EventLoop
internal import Glibc
internal import Server

/// Checks the system's limits for a process of this user.
enum ProcessCheck {
  /// Fewer connections than this are a problem, not a warning.
  static let fewestConnections = 10

  static func findings() -> [Finding] { [user(id: geteuid()), coreDumps()] }

  /// Whether the limit of open files is enough for the connections that are configured.
  static func openFiles(for limits: Limits) -> Finding {
    openFiles(for: limits, ConnectionCeiling())
  }

  static func openFiles(for limits: Limits, _ ceiling: ConnectionCeiling) -> Finding {
    guard let warning = ceiling.warning(limits) else {
      return .ok(.openFiles, "enough for \(Cell.grouped(Int64(limits.connections))) connections")
    }
    let advice = "Raise the limit (ulimit -n, LimitNOFILE of systemd), or lower limits.connections."
    return ceiling.connections < fewestConnections
      ? .problem(.openFiles, warning, advice: advice)
      : .warning(.openFiles, warning, advice: advice)
  }

  static func user(id: uid_t) -> Finding {
    guard id == 0 else { return .ok(.process, "runs as an ordinary user") }
    return .warning(
      .process, "runs as root, which it never needs",
      advice: "Serve as a user of its own, as config/systemd does.")
  }

  /// Tries on this process how `serve` shuts itself in.
  private static func coreDumps() -> Finding {
    do throws(SystemError) {
      try ProcessLimits.shutIn()
      return .ok(.process, "makes no core dumps, and can't be looked into")
    } catch {
      return .problem(
        .process, "\(error): memory with keys can't be kept from others",
        advice: "Let the sandbox around the server allow prctl.")
    }
  }
}
