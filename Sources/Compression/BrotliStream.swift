internal import CBrotli

/// Brotli's state for one body. Its window has at most 16 MiB.
@safe struct BrotliStream: ~Copyable {
  private let state: OpaquePointer

  init() {
    guard let state = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else {
      preconditionFailure("Brotli has no memory")
    }
    unsafe self.state = unsafe state
  }

  deinit {
    unsafe BrotliDecoderDestroyInstance(state)
  }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    var (inputLeft, outputLeft) = (input.count, output.count)
    var nextInput = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var nextOutput = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = unsafe BrotliDecoderDecompressStream(
      state, &inputLeft, &nextInput, &outputLeft, &nextOutput, nil)
    let progress: DecodingStep.State =
      switch result {
      case BROTLI_DECODER_RESULT_SUCCESS: .ended
      case BROTLI_DECODER_RESULT_ERROR: .malformed
      default: .running
      }
    return DecodingStep(
      consumed: input.count - inputLeft, produced: output.count - outputLeft, state: progress)
  }
}
