/// RIFF/WAVE: chunks, of which `fmt ` tells the bytes a second and `data` has the sound.
enum WaveFile {
  static func duration(_ bytes: Span<UInt8>) -> TickCount? {
    var bytesPerSecond: UInt64?
    var position = 12
    while let size = bytes.littleEndian(at: position + 4, count: 4) {
      let content = position + 8
      if bytes.hasText("fmt ", at: position) {
        bytesPerSecond = bytes.littleEndian(at: content + 8, count: 4)
      } else if bytes.hasText("data", at: position) {
        guard let bytesPerSecond else { return nil }
        // Who writes to a pipe doesn't know the size, and states none or the largest.
        let rest = UInt64(bytes.count - content)
        return TickCount(size == 0 ? rest : min(size, rest), perSecond: bytesPerSecond)
      }
      // Chunks begin at even positions.
      position = content + Int(size) + Int(size & 1)
    }
    return nil
  }
}
