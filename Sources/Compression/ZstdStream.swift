internal import CZstd

/// Zstandard's state for one body. Its window has at most 8 MiB, the limit of RFC 9659 for HTTP.
@safe struct ZstdStream: ~Copyable {
  private static let largestWindowLog: Int32 = 23

  private let context: OpaquePointer

  /// Whether a frame of RFC 8878 (3.1.1 and 3.1.2) may begin with `byte`, the lowest of its magic
  /// number. The library also reads formats from before the RFC, which HTTP doesn't allow. Its
  /// result for invalid bodies in these formats depends on how they are split.
  static func beginsFrame(_ byte: UInt8) -> Bool {
    byte == 0x28 || (0x50...0x5F).contains(byte)
  }

  init() {
    guard let context = unsafe ZSTD_createDCtx() else {
      preconditionFailure("Zstandard has no memory")
    }
    let status = unsafe ZSTD_DCtx_setParameter(
      context, ZSTD_d_windowLogMax, ZstdStream.largestWindowLog)
    precondition(ZSTD_isError(status) == 0, "Zstandard has no such window")
    unsafe self.context = unsafe context
  }

  deinit {
    _ = unsafe ZSTD_freeDCtx(context)
  }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    var taken = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var written = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let left = unsafe ZSTD_decompressStream(context, &written, &taken)
    let state: DecodingStep.State =
      ZSTD_isError(left) != 0 ? .malformed : left == 0 ? .ended : .running
    return unsafe DecodingStep(consumed: taken.pos, produced: written.pos, state: state)
  }
}
