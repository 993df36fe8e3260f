internal import Configuration
internal import EventLoop
internal import Ledger
internal import Server

/// Checks that the ledger is whole, of this release and writable, and that its disk has room.
enum LedgerCheck {
  /// With less free space than this, a server soon spools, and refuses requests after that.
  static let leastFreeBytes: Int64 = 64 << 20
  /// The largest spool.
  static let enoughFreeBytes: Int64 = 1 << 30
  /// The most damaged places that one finding lists.
  private static let mostDamage = 3

  static func findings(_ settings: LedgerSettings) -> [Finding] {
    guard case .sqlite(let path) = settings.location else {
      return [DatabaseCheck.finding(LedgerLocation(settings.location))]
    }
    let folder = PathAccess.folder(of: path)
    if let obstacle = PathAccess.obstacle(toWriting: path)
      ?? PathAccess.obstacle(toWriting: "\(path)-wal")
    {
      return [
        .problem(
          .ledger, obstacle,
          advice: "Let the user that serves write the file and its folder, or change ledger.url.")
      ] + disk(folder, settings.durability)
    }
    return [state(of: path)] + disk(folder, settings.durability)
  }

  private static func state(of path: String) -> Finding {
    guard PathAccess.isThere(path) else {
      return .ok(.ledger, "\(path): isn't there yet; the first start makes it")
    }
    do throws(LedgerError) {
      let damage = try LedgerReader(at: .sqlite(path: path)).damage(atMost: mostDamage)
      guard damage.isEmpty else {
        return .problem(
          .ledger, "\(path): \(damage.joined(separator: "; "))",
          advice: "Stop the server and restore the last backup.")
      }
      return .ok(.ledger, "\(path): whole, of this release, and writable")
    } catch {
      return judge(error)
    }
  }

  static func judge(_ error: LedgerError) -> Finding {
    switch error {
    case .tooOld:
      .warning(
        .ledger, error.description,
        advice: "Make a backup; the next start brings it up to date, or catraca migrate does.")
    case .tooNew, .notALedger, .ofEarlierBuild:
      .problem(.ledger, error.description, advice: "Name the right file in ledger.url.")
    default:
      .problem(
        .ledger, error.description, advice: "Check the file, its folder and the disk below it.")
    }
  }

  private static func disk(
    _ folder: String, _ durability: LedgerSettings.Durability
  ) -> [Finding] {
    do throws(SystemError) {
      let facts = try FileSystemFacts(of: folder)
      return [room(facts, in: folder), place(facts, of: folder, durability)]
    } catch {
      return [
        .problem(.disk, error.description, advice: "Make the folder that ledger.url names.")
      ]
    }
  }

  static func room(_ facts: FileSystemFacts, in folder: String) -> Finding {
    let text = "\(folder): \(Cell.grouped(facts.freeBytes >> 20)) MiB free"
    let advice = "Make room: a ledger grows by about half a KiB a request."
    if facts.freeBytes < leastFreeBytes { return .problem(.disk, text, advice: advice) }
    if facts.freeBytes < enoughFreeBytes { return .warning(.disk, text, advice: advice) }
    return .ok(.disk, text)
  }

  static func place(
    _ facts: FileSystemFacts, of folder: String, _ durability: LedgerSettings.Durability
  ) -> Finding {
    switch facts.kind {
    case .disk:
      .ok(.disk, "\(folder): what is committed survives as durability: \(durability.rawValue) says")
    case .memory:
      .warning(
        .disk, "\(folder): is in memory, and gone when the machine stops",
        advice: "Put the ledger on a disk.")
    case .container:
      .warning(
        .disk, "\(folder): is in the container's own layer, and gone with the container",
        advice: "Mount a volume for the ledger.")
    case .network:
      .problem(
        .disk, "\(folder): is on a network file system, where SQLite's log can't be shared",
        advice: "Put the ledger on a disk of this machine.")
    }
  }
}
