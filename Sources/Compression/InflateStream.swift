internal import CZlib

/// zlib's state for one body.
@safe struct InflateStream: ~Copyable {
  enum Format: Int32 {
    case gzip = 31
    case zlib = 15
    /// Without header and checksum.
    case bare = -15

    /// Returns the format of a `deflate` body by its first byte. zlib's header begins with its
    /// method, 8, and its window size. No compressor begins a bare body with these.
    init(deflateBeginning byte: UInt8) {
      self = byte & 0x0F == 8 && byte >> 4 <= 7 ? .zlib : .bare
    }
  }

  /// On the heap, because zlib keeps a pointer to it.
  private let stream: UnsafeMutablePointer<z_stream>
  let format: Format

  init(_ format: Format) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status = unsafe catraca_inflate_init(stream, format.rawValue)
    precondition(status == Z_OK, "zlib has no memory")
    unsafe self.stream = unsafe stream
    self.format = format
  }

  deinit {
    _ = unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    let (given, room) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
    // zlib's type isn't const, but zlib doesn't write to its input.
    unsafe stream.pointee.next_in = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)?
      .assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_in = given
    unsafe stream.pointee.next_out = unsafe output.baseAddress?
      .assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = room
    let status = unsafe inflate(stream, Z_NO_FLUSH)
    let state: DecodingStep.State =
      switch status {
      // Z_BUF_ERROR means that there was nothing to do yet.
      case Z_OK, Z_BUF_ERROR: .running
      case Z_STREAM_END: .ended
      default: .malformed
      }
    return unsafe DecodingStep(
      consumed: Int(given - stream.pointee.avail_in),
      produced: Int(room - stream.pointee.avail_out), state: state)
  }

  /// Prepares for a further member of a gzip file.
  func reset() {
    let status = unsafe inflateReset(stream)
    precondition(status == Z_OK, "zlib's state is broken")
  }
}
