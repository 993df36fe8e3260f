import Glibc

#if FUZZER
  import LibFuzzer
#endif

/// Gives bytes to what has to bear any.
///
///     fuzz TARGET FILE…           each file, once
///     fuzz TARGET [OPTION…] DIR   built with `-D FUZZER -sanitize=fuzzer`: what libFuzzer makes of
///                                 the files in DIR, with its options
@main
enum Fuzz {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let target = arguments.first.flatMap(FuzzTarget.init), arguments.count > 1 else {
      print("usage: fuzz TARGET FILE…, with one of \(FuzzTarget.allCases.map(\.rawValue))")
      exit(2)
    }
    run(target, arguments.dropFirst())
  }

  #if FUZZER

    nonisolated(unsafe) private static var target = FuzzTarget.request  // Set before all inputs.

    private static func run(_ named: FuzzTarget, _ arguments: ArraySlice<String>) {
      target = named
      // The fuzzer takes the first of them for the program's name, and keeps all for ever.
      var copies = (["fuzz"] + arguments).map { strdup($0) } + [nil]
      var count = Int32(copies.count - 1)
      copies.withUnsafeMutableBufferPointer { copies in
        var start = copies.baseAddress
        exit(LLVMFuzzerRunDriver(&count, &start, fuzzOneInput))
      }
    }

    fileprivate static func run(_ input: UnsafeBufferPointer<UInt8>) {
      target.run(Array(input))
    }

  #else

    private static func run(_ target: FuzzTarget, _ paths: ArraySlice<String>) {
      for path in paths {
        guard let input = bytes(of: path) else {
          print("\(path): can't be read")
          exit(1)
        }
        target.run(input)
      }
      print("\(paths.count) inputs")
    }

    private static func bytes(of path: String) -> [UInt8]? {
      guard let file = fopen(path, "r") else { return nil }
      defer { fclose(file) }
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
        bytes += buffer[..<count]
      }
      return ferror(file) == 0 ? bytes : nil
    }

  #endif
}

#if FUZZER

  /// The name is one that libFuzzer's own main function, linked and unused, looks for.
  @_cdecl("LLVMFuzzerTestOneInput")
  func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Fuzz.run(UnsafeBufferPointer(start: bytes, count: count))
    return 0
  }

#endif
