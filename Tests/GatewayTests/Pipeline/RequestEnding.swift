import InMemory
import Ledger
import Pricing
import Testing
import Upstream

@testable import Gateway

/// A way in which a request ends, and what it comes to.
struct RequestEnding: CustomTestStringConvertible, Sendable {
  /// The client's answer at the end.
  struct Gets: Sendable {
    var status = 200
    var code: String?
    /// Whether the answer comes to its proper end.
    var isWhole = true
  }

  /// The end of the hold and of the intent.
  enum End: Sendable {
    /// A row is written.
    case settled
    /// Nothing is recorded, since nothing reached the provider.
    case discarded
    /// The work is deferred, then rows end it.
    case deferred(rows: Int)
  }

  let sentence: String
  var gets = Gets()
  var end = End.settled
  var outcome = Outcome.ok
  var source = UsageSource.reported
  /// Of the usage of each row; nil for an estimate.
  var tokens: Int64? = 15
  /// Whether an estimate is all that was held.
  var isWholeHold = false
  /// Per token of input; a token of output costs twice as much.
  var nanoUSD: Int64 = 1_000
  let play: @Sendable (GatewayBench) async throws -> InMemoryAnswer

  var testDescription: String { sentence }
}

// MARK: - What providers say

enum ProviderText {
  static let usage = """
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    """
  static let whole = """
    {"id": "c1", "object": "chat.completion", "model": "gpt-test", "choices": [{"index": 0, \
    "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}], \(usage)}
    """
  static let piece = """
    {"id": "c1", "object": "chat.completion.chunk", "model": "gpt-test", \
    "choices": [{"index": 0, "delta": {"content": "hi"}}]}
    """
  static let lastPiece = """
    {"id": "c1", "object": "chat.completion.chunk", "model": "gpt-test", "choices": [], \(usage)}
    """
  static let error = """
    {"error": {"message": "broken", "type": "server_error", "code": "provider_broke"}}
    """

  /// A response that was made in the background.
  static func response(_ status: String, usage: String = "null") -> String {
    """
    {"id": "resp_1", "object": "response", "status": "\(status)", "background": true, \
    "model": "gpt-test", "output": [], "usage": \(usage)}
    """
  }

  static func batch(_ status: String, _ more: String = "") -> String {
    """
    {"id": "batch_1", "object": "batch", "endpoint": "/v1/chat/completions", \
    "status": "\(status)", "input_file_id": "file-1"\(more)}
    """
  }

  /// A line of a batch's input.
  static func line(_ number: Int) -> String {
    """
    {"custom_id": "\(number)", "method": "POST", "url": "/v1/chat/completions", "body": \
    {"model": "gpt-test", "max_tokens": 100, "messages": [{"role": "user", "content": "hello"}]}}
    """
  }

  /// A line of a batch's results.
  static func result(_ number: Int) -> String {
    """
    {"id": "r\(number)", "custom_id": "\(number)", "error": null, "response": \
    {"status_code": 200, "request_id": "q", "body": \(whole)}}
    """
  }
}

// MARK: - All of them

extension RequestEnding {
  static let all = answers + failures + departures

  private static let answers = [
    RequestEnding(sentence: "the provider answers as a whole") { bench in
      bench.provider.script = [{ $0.answer(200, ProviderText.whole) }]
      await bench.chat()
      return await bench.client.answer()
    },
    RequestEnding(sentence: "the provider streams to the end") { bench in
      bench.provider.script = [
        { call in
          call.stream([ProviderText.piece, ProviderText.lastPiece, "[DONE]"])
          call.finish()
        }
      ]
      await bench.chat("\"stream\": true")
      return await bench.client.answer()
    },
    RequestEnding(
      sentence: "the provider answers what can't be read", source: .estimated, tokens: nil,
      isWholeHold: true
    ) { bench in
      bench.provider.script = [{ $0.answer(200, "no JSON") }]
      await bench.chat()
      return await bench.client.answer()
    },
    RequestEnding(
      sentence: "the provider answers with an error",
      gets: Gets(status: 500, code: "provider_broke"),
      outcome: .providerError, tokens: 0
    ) { bench in
      bench.provider.script = [{ $0.answer(500, ProviderText.error) }]
      await bench.chat()
      return await bench.client.answer()
    },
    RequestEnding(
      sentence: "the provider ends a stream with an error", outcome: .providerError,
      source: .estimated, tokens: nil
    ) { bench in
      bench.provider.script = [
        { call in
          call.stream([ProviderText.piece, ProviderText.error])
          call.finish()
        }
      ]
      await bench.chat("\"stream\": true")
      return await bench.client.answer()
    },
    RequestEnding(
      sentence: "the provider's stream has an error and no output", outcome: .providerError,
      tokens: 0
    ) { bench in
      bench.provider.script = [
        { call in
          call.stream([ProviderText.error, "[DONE]"])
          call.finish()
        }
      ]
      await bench.chat("\"stream\": true")
      return await bench.client.answer()
    },
  ]

  private static let failures = [
    failure(
      "no connection comes about", .unreachable(.connection), 502, "upstream_unreachable",
      wasSent: false),
    failure(
      "no connection comes about in time", .timeout(wasSent: false), 502, "upstream_unreachable",
      wasSent: false),
    failure("too many calls are under way", .tooManyTransfers, 503, "overloaded", wasSent: false),
    failure("the provider is silent", .timeout(wasSent: true), 504, "upstream_timeout"),
    failure(
      "the provider hangs up without an answer", .broken(.noAnswer), 502,
      "upstream_invalid_response"),
    failure("the answer is not HTTP", .invalidResponse, 502, "upstream_invalid_response"),
    cut("the provider breaks off within a stream", .broken(.truncated)),
    cut("the provider is silent within a stream", .timeout(wasSent: true)),
    RequestEnding(
      sentence: "the provider breaks off within a whole answer",
      gets: Gets(status: 502, code: "upstream_invalid_response"), outcome: .upstreamBroken,
      source: .estimated, tokens: nil
    ) { bench in
      bench.provider.script = [
        { call in
          call.respond(200, [("content-type", "application/json")])
          call.deliver(Array("{\"id\": ".utf8))
          call.fail(.broken(.truncated))
        }
      ]
      await bench.chat()
      return await bench.client.answer()
    },
  ]

  /// The provider fails before it has answered.
  private static func failure(
    _ sentence: String, _ error: UpstreamError, _ status: Int, _ code: String, wasSent: Bool = true
  ) -> RequestEnding {
    RequestEnding(
      sentence: sentence, gets: Gets(status: status, code: code),
      end: wasSent ? .settled : .discarded, outcome: .upstreamBroken, source: .estimated,
      tokens: nil
    ) { bench in
      bench.provider.script = [{ $0.fail(error) }]
      await bench.chat()
      return await bench.client.answer()
    }
  }

  /// The provider fails within a stream.
  private static func cut(_ sentence: String, _ error: UpstreamError) -> RequestEnding {
    RequestEnding(
      sentence: sentence, gets: Gets(isWhole: false), outcome: .upstreamBroken, source: .estimated,
      tokens: nil
    ) { bench in
      bench.provider.script = [
        { call in
          call.stream([ProviderText.piece])
          call.fail(error)
        }
      ]
      await bench.chat("\"stream\": true")
      return await bench.client.answer()
    }
  }

  private static let departures = [
    RequestEnding(
      sentence: "the client leaves before the request has left",
      gets: Gets(status: 0, isWhole: false), end: .discarded
    ) { bench in
      await bench.chat()
      _ = await bench.provider.next()
      return await bench.client.leave()
    },
    RequestEnding(
      sentence: "the client leaves before the answer", gets: Gets(status: 0, isWhole: false),
      outcome: .clientDisconnected, source: .estimated, tokens: nil
    ) { bench in
      await bench.chat()
      await bench.provider.next().send()
      return await bench.client.leave()
    },
    RequestEnding(
      sentence: "the client leaves within a stream", gets: Gets(isWhole: false),
      outcome: .clientDisconnected, source: .estimated, tokens: nil
    ) { bench in
      await bench.chat("\"stream\": true")
      await bench.provider.next().stream([ProviderText.piece])
      #expect(await bench.client.sees("hi"))
      return await bench.client.leave()
    },
    RequestEnding(
      sentence: "the client leaves, and the stream is drained", gets: Gets(isWhole: false),
      outcome: .clientDisconnected, source: .drained
    ) { bench in
      await bench.send(
        "/groq/openai/v1/chat/completions",
        """
        {"model": "llama-test", "max_tokens": 100, "stream": true, \
        "messages": [{"role": "user", "content": "hello"}]}
        """)
      let call = await bench.provider.next()
      call.stream([ProviderText.piece])
      #expect(await bench.client.sees("hi"))
      bench.client.hangUp()
      await goRound(bench.loop)
      for event in [ProviderText.lastPiece, "[DONE]"] {
        call.deliver(Array("data: \(event)\n\n".utf8))
      }
      call.finish()
      return await bench.client.leave()
    },
  ]
}

extension InMemoryClient {
  /// Hangs up, and waits until the server is done with the connection; returns what had come.
  func leave() async -> InMemoryAnswer {
    let answer = whatCame
    hangUp()
    await close()
    return answer
  }
}
