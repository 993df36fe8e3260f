internal import CLinux

/// Reports to a loop that files in some folders have changed (inotify).
///
/// It watches folders instead of files, because editors replace a file instead of writing into it.
public final class FolderWatch: ReadinessHandler {
  private let descriptor: CInt
  private let loop: EventLoop
  private let changed: () -> Void
  private var registration: Registration?

  private static let bufferSize = 4096

  /// Starts to watch. `changed` is called on `loop`, once for all changes since the last call.
  /// - Throws: `SystemError` if a folder can't be watched.
  public init(
    folders: [String], on loop: EventLoop, changed: @escaping () -> Void
  ) throws(SystemError) {
    loop.preconditionOnLoop()
    self.loop = loop
    self.changed = changed
    descriptor = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError.last("inotify_init1") }
    do {
      for folder in folders { try watch(folder) }
      registration = try loop.register(descriptor, .readable, handler: self)
    } catch {
      CLinux.close(descriptor)
      throw error
    }
  }

  private func watch(_ folder: String) throws(SystemError) {
    let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE
    guard unsafe inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 else {
      throw SystemError.last("inotify_add_watch \(folder)")
    }
  }

  public func becameReady(_ readiness: Readiness) {
    // The events are discarded, because `changed` examines the files itself.
    unsafe withUnsafeTemporaryAllocation(byteCount: FolderWatch.bufferSize, alignment: 8) {
      buffer in
      while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
    changed()
  }

  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    CLinux.close(descriptor)
  }
}
