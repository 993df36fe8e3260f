internal import Glibc

/// Where the program begins: reads the command line, does what it asks for, prints, exits.
@main struct Main {
  static func main() async {
    let program = Program(commands: Commands.all)
    let printout = await program.run(
      Array(CommandLine.arguments.dropFirst()), in: .ofThisProcess())
    StandardStream.error.write(printout.error)
    let isPrinted = StandardStream.output.write(printout.output)
    exit(isPrinted ? printout.exitCode.rawValue : ExitCode.failed.rawValue)
  }
}
