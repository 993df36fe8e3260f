/// The texts of one run's parameters, where SQLite can read them until the next: it would else
/// allocate, copy and free each of them.
@safe struct LentTexts: ~Copyable {
  private var storage: UnsafeMutableRawBufferPointer?
  private var used = 0

  /// The room for texts: several times that of a request's row. SQLite copies longer texts.
  private static let capacity = 4_096

  deinit {
    unsafe storage?.deallocate()
  }

  /// The text's UTF-8, valid until `removeAll`; nil where there is no room for it.
  @unsafe mutating func keep(_ text: String) -> UnsafeBufferPointer<CChar>? {
    let storage = unsafe self.storage ?? allocate()
    let kept = unsafe text.utf8.withContiguousStorageIfAvailable { utf8 in
      unsafe LentTexts.copy(utf8, into: storage[used...])
    }
    guard let kept = unsafe kept ?? nil else { return nil }
    used += kept.count
    return unsafe kept
  }

  mutating func removeAll() {
    used = 0
  }

  private mutating func allocate() -> UnsafeMutableRawBufferPointer {
    let new = UnsafeMutableRawBufferPointer.allocate(byteCount: LentTexts.capacity, alignment: 1)
    unsafe storage = new
    return unsafe new
  }

  private static func copy(
    _ utf8: UnsafeBufferPointer<UInt8>, into room: Slice<UnsafeMutableRawBufferPointer>
  ) -> UnsafeBufferPointer<CChar>? {
    guard unsafe utf8.count <= room.count else { return nil }
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(utf8.count))
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(utf8))
    return unsafe UnsafeBufferPointer(target.bindMemory(to: CChar.self))
  }
}
