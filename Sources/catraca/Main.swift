internal import EventLoop
internal import Glibc

#if canImport(CJemalloc)
  internal import CJemalloc
#endif

/// Where the program begins: reads the command line, does what it asks for, prints, exits.
///
/// The main thread is an event loop of its own, so that a command runs on it from its beginning to
/// its end. An `async` entry point would leave it to libdispatch's main queue.
@main struct Main {
  static func main() throws {
    let loop = try EventLoop()
    Task(executorPreference: loop) { await run() }
    loop.run()
  }

  private static func run() async {
    let program = Program(commands: Commands.all)
    let printout = await program.run(
      Array(CommandLine.arguments.dropFirst()), in: .ofThisProcess())
    StandardStream.error.write(printout.error)
    let isPrinted = StandardStream.output.write(printout.output)
    exit(isPrinted ? printout.exitCode.rawValue : ExitCode.failed.rawValue)
  }
}
