// The entries of the endpoints for sound and images.

import Pricing

extension Endpoints {
  static let audio = [speech, transcriptions, translations]
  static let images = [imageGenerations, imageEdits, imageVariations]

  static let speech = Endpoint(
    method: "POST", path: "/v1/audio/speech", operation: .speech,
    request: .json([
      "model": .model, "input": .speech, "stream_format": .streamFormat,
      "voice": .inert, "response_format": .inert, "speed": .inert, "sample_rate": .inert,
    ]),
    output: .none, answer: SpeechAnswer.self)

  static let transcriptions = Endpoint(
    method: "POST", path: "/v1/audio/transcriptions", operation: .transcription,
    request: .form(transcriptParts), output: .none, answer: TranscriptionAnswer.self)

  static let translations = Endpoint(
    method: "POST", path: "/v1/audio/translations", operation: .translation,
    request: .form(transcriptParts), output: .none, answer: TranscriptionAnswer.self)

  private static let transcriptParts: [String: FormField] = [
    "model": .model, "file": .audioFile, "url": .remoteFile,
    "response_format": .transcriptFormat, "stream": .stream, "prompt": .text,
    "language": .inert, "temperature": .inert, "chunking_strategy": .inert,
    "timestamp_granularities": .inert, "include": .inert,
  ]

  static let imageGenerations = Endpoint(
    method: "POST", path: "/v1/images/generations", operation: .image,
    request: .json(imageMembers), output: .none, answer: ImageAnswer.self)

  static let imageEdits = Endpoint(
    method: "POST", path: "/v1/images/edits", operation: .image,
    request: .jsonOrForm(imageMembers, imageParts), output: .none, answer: ImageAnswer.self)

  static let imageVariations = Endpoint(
    method: "POST", path: "/v1/images/variations", operation: .image,
    request: .form(imageParts), output: .none, answer: ImageAnswer.self)

  private static let imageMembers: [String: RequestField] = [
    "model": .model, "n": .imageCount, "size": .imageSize, "quality": .imageQuality,
    "stream": .stream, "partial_images": .partialImages, "user": .user(precedence: 0),
    "image": .pictures, "images": .pictures, "mask": .pictures,
    "background": .inert, "input_fidelity": .inert, "moderation": .inert,
    "output_compression": .inert, "output_format": .inert, "response_format": .inert,
    "style": .inert,
  ]

  private static let imageParts: [String: FormField] = [
    "model": .model, "n": .imageCount, "size": .imageSize, "quality": .imageQuality,
    "stream": .stream, "partial_images": .partialImages, "user": .user, "prompt": .text,
    "image": .imageFile, "mask": .imageFile,
    "background": .inert, "input_fidelity": .inert, "moderation": .inert,
    "output_compression": .inert, "output_format": .inert, "response_format": .inert,
    "style": .inert,
  ]
}
