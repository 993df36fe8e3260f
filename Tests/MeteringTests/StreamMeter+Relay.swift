import Metering

extension StreamMeter {
  /// Has a chunk passed on as a relay does, and appends what that gives to `output`.
  mutating func pass(_ chunk: some Sequence<UInt8>, into output: inout [UInt8]) -> Progress {
    var arrived = Array(chunk)
    var passing: [UInt8] = []
    defer { output += passing }
    return receive(&arrived, into: &passing)
  }
}
