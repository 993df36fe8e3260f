internal import JSON

/// The answer to the images' endpoints: the same small picture for each image asked for, and a
/// usage.
enum SandboxImageAnswer {
  private static let picture = "iVBORw0KGgo="
  private static let tokensPerImage: Int64 = 1056
  private static let tokensPerPicture: Int64 = 323

  static func answer(to request: MediaRequest, isEdit: Bool, created: Int64) -> MediaAnswer {
    request.isStreamed
      ? events(request, isEdit ? "image_edit" : "image_generation", created: created)
      : .json { object in
        object.member("created", created)
        object.member("data") { data in
          data.array { list in
            for _ in 0..<request.count { list.object { $0.member("b64_json", picture) } }
          }
        }
        writeUsage(request, images: Int64(request.count), to: &object)
      }
  }

  private static func events(
    _ request: MediaRequest, _ kind: String, created: Int64
  ) -> MediaAnswer {
    var pieces = [
      MediaAnswer.event("\(kind).partial_image") {
        $0.member("type", "\(kind).partial_image")
        $0.member("b64_json", picture)
        $0.member("partial_image_index", 0)
      }
    ]
    for _ in 0..<request.count {
      pieces.append(
        MediaAnswer.event("\(kind).completed") {
          $0.member("type", "\(kind).completed")
          $0.member("b64_json", picture)
          $0.member("created_at", created)
          writeUsage(request, images: 1, to: &$0)
        })
    }
    return MediaAnswer(MediaAnswer.events, pieces)
  }

  private static func writeUsage(
    _ request: MediaRequest, images: Int64, to object: inout JSONWriter
  ) {
    let text = SandboxUsage.promptTokens(textBytes: request.text.utf8.count, messageCount: 0)
    let pictures = request.hasFile ? tokensPerPicture : 0
    object.tokenUsage(
      input: text + pictures, output: images * tokensPerImage, details: "input_tokens_details",
      text: text, other: ("image_tokens", pictures))
  }
}
