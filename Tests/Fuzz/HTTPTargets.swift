import HTTP

/// Heads of requests, one after the other.
enum RequestHeads {
  /// How the bytes of a connection were taken apart.
  private struct Reading: Equatable {
    var heads: [RequestHead] = []
    var consumed = 0
    var error: HTTPError?
  }

  static func check(_ input: [UInt8]) {
    let reading = read(input, pieces: [input.count])
    require(
      read(input, pieces: Array(1...max(1, input.count))) == reading,
      "a head doesn't depend on how it is cut")
    for head in reading.heads {
      head.fields.forEach { name, value in
        for index in value.indices {
          require(value[index] >= 0x20 || value[index] == 0x09, "a field has no control byte")
        }
      }
    }
  }

  /// - Parameter pieces: how many of the bytes have come at each look.
  private static func read(_ input: [UInt8], pieces: [Int]) -> Reading {
    var reading = Reading()
    var parser = RequestParser(limits: RequestLimits())
    for available in pieces where available <= input.count {
      do throws(HTTPError) {
        while case .head(let head, let consumed) = try parser.parse(
          input.span.extracting(reading.consumed..<available))
        {
          reading.heads.append(head)
          reading.consumed += consumed
          require(consumed > 0 && reading.consumed <= available, "a head has bytes that came")
        }
      } catch {
        reading.error = error
        return reading
      }
    }
    return reading
  }
}

/// Bodies in chunks.
enum ChunkedBodies {
  private struct Reading: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var isFinished = false
    var error: HTTPError?
  }

  static func check(_ input: [UInt8]) {
    let reading = read(input, pieceSize: max(1, input.count))
    require(read(input, pieceSize: 1) == reading, "a body doesn't depend on how it is cut")
    require(reading.content.count <= input.count, "content isn't more than what came")
    guard reading.isFinished else { return }
    var encoded: [UInt8] = []
    if !reading.content.isEmpty {
      ChunkedEncoder.appendHeader(contentBytes: reading.content.count, to: &encoded)
      encoded += reading.content
      encoded += "\(ChunkedEncoder.chunkEnd)".utf8
    }
    encoded += "\(ChunkedEncoder.bodyEnd)".utf8
    require(
      read(encoded, pieceSize: encoded.count).content == reading.content,
      "content survives being sent on")
  }

  private static func read(_ input: [UInt8], pieceSize: Int) -> Reading {
    var reading = Reading()
    var decoder = ChunkedDecoder()
    while reading.consumed < input.count, !decoder.isFinished {
      let end = min(reading.consumed + pieceSize, input.count)
      do throws(HTTPError) {
        reading.consumed += try decoder.decode(
          input.span.extracting(reading.consumed..<end), into: &reading.content)
      } catch {
        reading.error = error
        // How far a refused body was read doesn't matter to anybody.
        reading.consumed = 0
        break
      }
    }
    reading.isFinished = decoder.isFinished
    return reading
  }
}

/// Streams of server-sent events.
enum EventStreams {
  static func check(_ input: [UInt8]) {
    let whole = read(input, pieceSize: max(1, input.count))
    require(read(input, pieceSize: 1) == whole, "events don't depend on how they are cut")
    require(whole.joined().elementsEqual(input), "events are all that came, in its order")
  }

  /// The bytes of each event.
  private static func read(_ input: [UInt8], pieceSize: Int) -> [[UInt8]] {
    var splitter = ServerSentEventSplitter()
    var events: [[UInt8]] = []
    var moved: [UInt8] = []
    var piece: [UInt8] = []
    for start in stride(from: 0, to: input.count, by: pieceSize) {
      piece.removeAll(keepingCapacity: true)
      piece += input[start..<min(start + pieceSize, input.count)]
      splitter.receive(&piece)
      let first = events.count
      while let event = next(&splitter) { events.append(bytes(of: event, splitter)) }
      guard start % 2 == 0 else { continue }
      splitter.moveFinished(into: &moved)
      require(moved.elementsEqual(events[first...].joined()), "what is moved is all that was given")
    }
    while let event = splitter.finish() { events.append(bytes(of: event, splitter)) }
    return events
  }

  private static func next(_ splitter: inout ServerSentEventSplitter) -> ServerSentEvent? {
    do throws(ServerSentEventError) {
      return try splitter.next()
    } catch {
      preconditionFailure("no input is as large as an event may be")
    }
  }

  private static func bytes(
    of event: ServerSentEvent, _ splitter: ServerSentEventSplitter
  ) -> [UInt8] {
    if case .line(let line) = event.data {
      require(
        event.range.lowerBound <= line.lowerBound && line.upperBound <= event.range.upperBound,
        "an event's data is a part of it")
    }
    return Array(splitter.bytes[event.range])
  }
}

/// The frames of a WebSocket, of both sides.
enum WebSocketMessages {
  static func check(_ input: [UInt8]) {
    for sender in [WebSocketRole.client, .server] {
      require(
        read(input, from: sender, pieceSize: 1)
          == read(input, from: sender, pieceSize: max(1, input.count)),
        "messages don't depend on how they are cut")
    }
  }

  private struct Reading: Equatable {
    var events: [WebSocketEvent] = []
    var messages: [[UInt8]] = []
    var error: WebSocketError?
  }

  private static func read(
    _ input: [UInt8], from sender: WebSocketRole, pieceSize: Int
  ) -> Reading {
    var reading = Reading()
    var reader = WebSocketReader(from: sender, largestMessage: 1 << 16)
    for start in stride(from: 0, to: input.count, by: pieceSize) {
      reader.receive(input.span.extracting(start..<min(start + pieceSize, input.count)))
      do throws(WebSocketError) {
        while let event = try reader.next() {
          reading.events.append(event)
          guard case .message(let kind) = event else { continue }
          require(
            kind != .text || String(validating: reader.message, as: UTF8.self) != nil,
            "a text is UTF-8")
          reading.messages.append(reader.message)
        }
      } catch {
        reading.error = error
        return reading
      }
    }
    return reading
  }
}

/// Forms with several parts. The first line is their content type.
enum MultipartBodies {
  static func check(_ input: [UInt8]) {
    let (contentType, body) = headed(input)
    guard let form = try? MultipartForm(body, contentType: contentType) else { return }
    require(form.parts.count <= MultipartForm.mostParts, "parts are limited")
    var end = 0
    for part in form.parts {
      require(
        end <= part.content.lowerBound && part.content.upperBound <= body.count,
        "parts follow each other within the body")
      end = part.content.upperBound
    }
  }
}

/// The first line of an input, which says what the rest is, and the rest.
func headed(_ input: [UInt8]) -> (line: String, rest: [UInt8]) {
  let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
  return (String(decoding: input[..<end], as: UTF8.self), Array(input[end...].dropFirst()))
}
