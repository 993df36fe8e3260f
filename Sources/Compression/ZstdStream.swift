internal import CZstd

/// Zstandard's state for one body. Its window has at most 8 MiB, as RFC 9659 has it for HTTP.
@safe struct ZstdStream: ~Copyable {
  private static let largestWindowLog: Int32 = 23

  private let context: OpaquePointer

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
