/// A generator of random numbers that gives the same ones for the same seed, so that a run that
/// fails can be run again (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number of any length in digits, since even ones would nearly all be long.
  package mutating func magnitude(below bound: Int64) -> Int64 {
    Int64.random(in: 0..<bound, using: &self) >> Int64.random(in: 0..<64, using: &self)
  }
}
