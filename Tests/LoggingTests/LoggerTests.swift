import EventLoop
import Glibc
import JSON
import Logging
import Testing

/// Loggers that write to files of a folder of their own.
@Suite struct LoggerTests {
  /// A file in a folder that goes with the test.
  private final class LogFile {
    let folder: String
    var path: String { "\(folder)/log" }

    init() {
      var template = Array("/tmp/catraca-log-XXXXXX".utf8CString)
      folder = template.withUnsafeMutableBufferPointer { buffer in
        String(cString: mkdtemp(buffer.baseAddress!))
      }
    }

    deinit {
      unlink(path)
      unlink("\(path).1")
      rmdir(folder)
    }

    func numbers(of name: String = "log") throws -> [Int64] {
      let file = try #require(fopen("\(folder)/\(name)", "r"))
      defer { fclose(file) }
      var bytes: [UInt8] = []
      while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
      return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
        try #require(JSONParser().parse(Array(line))["number"]?.integer)
      }
    }
  }

  private static func log(_ numbers: Range<Int64>, to logger: Logger) {
    for number in numbers { logger.log(.info, "line") { $0.member("number", number) } }
  }

  @Test("Lines are whole, in order and each in one file, whenever it is renamed")
  func rotates() throws {
    let file = LogFile()
    let logger = try Logger(.file(path: file.path), level: .info, format: .json)
    Self.log(0..<1_000, to: logger)
    rename(file.path, "\(file.path).1")
    Self.log(1_000..<2_000, to: logger)
    logger.reopen()
    Self.log(2_000..<3_000, to: logger)
    logger.close()
    let all = try file.numbers(of: "log.1") + file.numbers()
    #expect(all == Array(0..<3_000))
  }

  @Test("Lines that can't be written wait for a file that can")
  func waits() throws {
    let file = LogFile()
    symlink("/dev/full", file.path)
    let logger = try Logger(.file(path: file.path), level: .info, format: .json)
    Self.log(0..<100, to: logger)
    unlink(file.path)
    logger.reopen()
    Self.log(100..<200, to: logger)
    logger.close()
    #expect(try file.numbers() == Array(0..<200))
  }

  @Test("A line that was written in part is whole in the next file")
  func beginsAgain() async throws {
    SignalSource.ignoreBrokenPipes()
    let file = LogFile()
    try #require(mkfifo(file.path, 0o600) == 0)
    // A FIFO is opened for writing once it is for reading.
    let reader = open(file.path, O_RDONLY | O_NONBLOCK)
    let logger = try Logger(.file(path: file.path), level: .info, format: .json)
    Self.log(0..<5_000, to: logger)
    // Full before all is written. By bytes that can't be told: a short write may take a whole page.
    let writer = open(file.path, O_WRONLY | O_NONBLOCK)
    var room = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
    while poll(&room, 1, 0) == 1 { await Task.yield() }
    unlink(file.path)
    close(writer)
    close(reader)
    logger.reopen()
    logger.close()
    let numbers = try file.numbers()
    let first = try #require(numbers.first)
    #expect(first > 0 && numbers == Array(first..<5_000))
  }

  @Test("A logger that can't write ends all the same")
  func ends() throws {
    let logger = try Logger(.file(path: "/dev/full"), level: .info, format: .json)
    Self.log(0..<100, to: logger)
    logger.close()
  }
}
