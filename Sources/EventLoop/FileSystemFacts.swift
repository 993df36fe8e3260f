internal import CLinux
internal import Glibc

/// The kind and the free space of a folder's file system.
public struct FileSystemFacts: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case disk
    /// Its contents are lost when the machine stops.
    case memory
    /// A container's own layer, whose contents are lost with the container.
    case container
    /// Shared by several machines, which share no memory.
    case network
  }

  public let kind: Kind
  /// The free space for users other than root.
  public let freeBytes: Int64

  public init(kind: Kind, freeBytes: Int64) {
    self.kind = kind
    self.freeBytes = freeBytes
  }

  /// Reads the facts of a folder's file system.
  /// - Throws: `SystemError` if the folder doesn't exist or can't be reached.
  public init(of folder: String) throws(SystemError) {
    var facts = statfs()
    guard unsafe statfs(folder, &facts) == 0 else { throw .last("statfs \(folder)") }
    kind = FileSystemFacts.kinds[UInt32(truncatingIfNeeded: facts.f_type)] ?? .disk
    let (bytes, overflow) = Int64(clamping: facts.f_bavail)
      .multipliedReportingOverflow(by: Int64(facts.f_bsize))
    freeBytes = overflow ? .max : bytes
  }

  /// The kinds by the numbers of statfs(2): tmpfs and ramfs; overlayfs; NFS, SMB in three versions,
  /// 9P, Ceph.
  private static let kinds: [UInt32: Kind] = [
    0x0102_1994: .memory, 0x8584_58F6: .memory, 0x794C_7630: .container, 0x0000_6969: .network,
    0xFE53_4D42: .network, 0xFF53_4D42: .network, 0x0000_517B: .network, 0x0102_1997: .network,
    0x00C3_6400: .network,
  ]
}
