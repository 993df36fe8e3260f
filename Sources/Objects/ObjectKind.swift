/// A kind of thing that a provider keeps, and that a later request can name.
///
/// The raw values are the kinds of the admin API (article Admin API).
public enum ObjectKind: String, Sendable, Hashable, CaseIterable {
  case file
  /// An upload, and its parts.
  case upload
  case batch
  case response
  /// A chat completion that is stored, and the sound in one.
  case completion
  case conversation
  /// An item of a response or conversation.
  case item
  case container
  /// A vector store, and its batches of files.
  case vectorStore = "vector_store"
  case skill
  /// A prompt template, and what else an account's administrators make: a voice, a tunnel.
  case prompt
  /// A video, and a character of videos.
  case video
  case eval
  /// A job of fine-tuning, and the model that it makes.
  case fineTuningJob = "fine_tuning_job"

  /// The kind of an id by its form, such as `file-…`, whether in capitals or not; nil for forms
  /// that aren't known.
  ///
  /// Ids that a provider writes without such a beginning are told by where they stand alone.
  public init?(ofID id: some StringProtocol) {
    self.init(ofID: id, among: ObjectKind.forms)
  }

  /// The kind of an id that an answer has: of a message, of an item or of a chat completion. Apps
  /// and models also repeat such ids where they refer to nothing.
  init?(ofAnswersID id: some StringProtocol) {
    self.init(ofID: id, among: ObjectKind.formsOfAnswers)
  }

  /// The kind of an id by its form, whether requests or answers have it; nil for forms that aren't
  /// known.
  public init?(ofAnyID id: some StringProtocol) {
    self.init(ofID: id, among: ObjectKind.forms + ObjectKind.formsOfAnswers)
  }

  private init?(ofID id: some StringProtocol, among forms: [(prefix: String, kind: ObjectKind)]) {
    let form = forms.first { form in
      id.utf8.count > form.prefix.utf8.count
        && zip(id.utf8, form.prefix.utf8).allSatisfy { $0.inLowerCase == $1 }
    }
    guard let form else { return nil }
    self = form.kind
  }

  /// How ids begin, of `[P resources]` and `[S]` in openai-python 3.57.0 and openai-openapi 2.3.0.
  static let forms: [(prefix: String, kind: ObjectKind)] = [
    ("file-", .file), ("resp_", .response), ("batch_", .batch), ("conv_", .conversation),
    ("vs_", .vectorStore), ("vsfb_", .vectorStore), ("cntr_", .container), ("cfile_", .container),
    ("skill_", .skill), ("pmpt_", .prompt), ("ft:", .fineTuningJob), ("ftjob-", .fineTuningJob),
    ("upload_", .upload), ("part_", .upload), ("video_", .video), ("eval_", .eval),
  ]

  static let formsOfAnswers: [(prefix: String, kind: ObjectKind)] = [
    ("msg_", .item), ("rs_", .item), ("fc_", .item), ("chatcmpl-", .completion),
  ]
}

extension UInt8 {
  /// The same letter of ASCII in lower case; any other byte as it is.
  var inLowerCase: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
