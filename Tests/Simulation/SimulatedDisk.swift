import FaultyDisk
import Ledger

/// The disk that a simulated server has its ledger on: in memory, and failing as it is told.
final class SimulatedDisk {
  /// As SQLite knows it.
  let name: String
  private let disk: OpaquePointer

  init(name: String, seed: UInt64) {
    self.name = name
    SQLiteLibrary.prepare()
    disk = simulated_disk_create(name, seed)!
  }

  deinit {
    simulated_disk_destroy(disk)
  }

  /// Whether the process that uses it has died.
  var isDead: Bool { simulated_disk_is_dead(disk) }

  /// The process will die in the midst of a write, this number of writes later.
  func die(afterWrites writes: Int64) { simulated_disk_die_after(disk, writes) }

  func kill() { simulated_disk_kill(disk) }

  func losePower() { simulated_disk_lose_power(disk) }

  /// The next process may begin.
  func revive() { simulated_disk_revive(disk) }

  /// Leaves room for `room` more bytes.
  func fill(leaving room: Int64) {
    simulated_disk_set_capacity(disk, simulated_disk_used(disk) + room)
  }

  func empty() { simulated_disk_set_capacity(disk, .max) }
}
