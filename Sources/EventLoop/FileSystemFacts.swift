internal import CLinux
internal import Glibc

/// What the file system of a folder is and has.
public struct FileSystemFacts: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case disk
    /// Gone when the machine stops.
    case memory
    /// A container's own layer: gone with the container.
    case container
    /// Shared by machines, which have no memory in common.
    case network
  }

  public let kind: Kind
  /// For users other than root.
  public let freeBytes: Int64

  public init(kind: Kind, freeBytes: Int64) {
    self.kind = kind
    self.freeBytes = freeBytes
  }

  /// Throws where there is no such folder, or it can't be reached.
  public init(of folder: String) throws(SystemError) {
    var facts = statfs()
    guard unsafe statfs(folder, &facts) == 0 else { throw .last("statfs \(folder)") }
    kind = FileSystemFacts.kinds[UInt32(truncatingIfNeeded: facts.f_type)] ?? .disk
    let (bytes, overflow) = Int64(clamping: facts.f_bavail)
      .multipliedReportingOverflow(by: Int64(facts.f_bsize))
    freeBytes = overflow ? .max : bytes
  }

  /// By the numbers of statfs(2): tmpfs and ramfs; overlayfs; NFS, SMB in three versions, 9P, Ceph.
  private static let kinds: [UInt32: Kind] = [
    0x0102_1994: .memory, 0x8584_58F6: .memory, 0x794C_7630: .container, 0x0000_6969: .network,
    0xFE53_4D42: .network, 0xFF53_4D42: .network, 0x0000_517B: .network, 0x0102_1997: .network,
    0x00C3_6400: .network,
  ]
}
