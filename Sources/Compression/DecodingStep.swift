/// What one call of a library has done.
struct DecodingStep {
  enum State {
    case running
    /// The coded data has ended here; all of it has been written.
    case ended
    case malformed
  }

  /// Bytes of the input that were taken.
  let consumed: Int
  /// Bytes that were written to the output.
  let produced: Int
  let state: State
}
