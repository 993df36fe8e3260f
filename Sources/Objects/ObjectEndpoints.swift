/// The table of endpoints by which clients make, read and end objects that a provider keeps.
///
/// Metering's table (Endpoints.swift) says what requests cost; this one says whose they may be. An
/// endpoint that a provider adds must be added here before it is forwarded.
/// Sources: the resources of openai-python 3.57.0 and groq 1.7.0, openai-openapi 2.3.0.
public enum ObjectEndpoints {
  public static let all = documented + undocumentedLists

  /// The endpoints that providers document.
  public static let documented: [ObjectEndpoint] =
    files + batches + responses + completions + conversations + containers + vectorStores + skills
    + fineTuning + evals + videos

  static let files: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/files", makes: [("id", .file)]),
    // Without a limit a provider sends up to 10,000 files.
    ObjectEndpoint("GET", "/v1/files", list: .of(.file, usual: 10_000, largest: 10_000)),
    ObjectEndpoint("GET", "/v1/files/{file}"),
    ObjectEndpoint("GET", "/v1/files/{file}/content"),
    ObjectEndpoint("DELETE", "/v1/files/{file}", ends: true),
    ObjectEndpoint("POST", "/v1/uploads", makes: [("id", .upload)]),
    ObjectEndpoint("POST", "/v1/uploads/{upload}/parts", makes: [("id", .upload)]),
    ObjectEndpoint("POST", "/v1/uploads/{upload}/complete", makes: [("file.id", .file)]),
    ObjectEndpoint("POST", "/v1/uploads/{upload}/cancel"),
  ]

  /// Where a batch shows its files.
  private static let batchFiles: [(place: String, kind: ObjectKind)] = [
    ("output_file_id", .file), ("error_file_id", .file),
  ]

  /// Where the answer to a request for a batch shows what was made.
  public static let madeWithBatch = [(place: "id", kind: ObjectKind.batch)] + batchFiles

  static let batches: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/batches", .metered, makes: madeWithBatch),
    ObjectEndpoint("GET", "/v1/batches", list: .of(.batch)),
    ObjectEndpoint("GET", "/v1/batches/{batch}", makes: batchFiles),
    ObjectEndpoint("POST", "/v1/batches/{batch}/cancel", makes: batchFiles),
  ]

  /// Where an item of a response shows what was made with it.
  public static let madeWithItem: [(place: String, kind: ObjectKind)] = [
    ("id", .item), ("container_id", .container), ("environment.container_id", .container),
    ("content[].annotations[].file_id[container_id]", .container),
    ("content[].annotations[].container_id", .container),
  ]
  /// Where a compaction shows what was made. Its items aren't kept: those that aren't repeated from
  /// the request are sent back whole.
  public static let madeWithCompaction = [(place: "id", kind: ObjectKind.response)]
  /// Where a citation shows the file in a container that it is of, and the container.
  public static let madeWithCitation: [(place: String, kind: ObjectKind)] = [
    ("file_id[container_id]", .container), ("container_id", .container),
  ]
  /// Where a response shows what was made with it.
  public static let madeWithResponse =
    [(place: "id", kind: ObjectKind.response)]
    + madeWithItem.map { (place: "output[].\($0.place)", kind: $0.kind) }

  static let responses: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/responses", .metered, makes: madeWithResponse),
    ObjectEndpoint("POST", "/v1/responses/compact", .metered, makes: madeWithCompaction),
    ObjectEndpoint("POST", "/v1/responses/input_tokens"),
    ObjectEndpoint("GET", "/v1/responses/{response}", makes: madeWithResponse),
    ObjectEndpoint("DELETE", "/v1/responses/{response}", endsSilently: true),
    ObjectEndpoint("POST", "/v1/responses/{response}/cancel", makes: madeWithResponse),
    ObjectEndpoint(
      "GET", "/v1/responses/{response}/input_items", makes: [("data[].id", .item)],
      list: .within(.item)),
  ]

  /// Where a chat completion, or a chunk of one, shows that it was made.
  public static let madeWithCompletion = [(place: "id", kind: ObjectKind.completion)]
  /// Where it shows its sound.
  public static let soundInCompletion: [(place: String, kind: ObjectKind)] = [
    ("choices[].message.audio.id", .completion), ("choices[].delta.audio.id", .completion),
  ]

  static let completions: [ObjectEndpoint] = [
    ObjectEndpoint(
      "POST", "/v1/chat/completions", .metered, makes: madeWithCompletion + soundInCompletion),
    ObjectEndpoint("GET", "/v1/chat/completions", list: .of(.completion)),
    ObjectEndpoint("GET", "/v1/chat/completions/{completion}"),
    ObjectEndpoint("POST", "/v1/chat/completions/{completion}"),
    ObjectEndpoint("DELETE", "/v1/chat/completions/{completion}", ends: true),
    ObjectEndpoint(
      "GET", "/v1/chat/completions/{completion}/messages", makes: [("data[].id", .item)],
      list: .within(.item)),
  ]

  static let conversations: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/conversations", makes: [("id", .conversation)]),
    ObjectEndpoint("GET", "/v1/conversations/{conversation}"),
    ObjectEndpoint("POST", "/v1/conversations/{conversation}"),
    ObjectEndpoint("DELETE", "/v1/conversations/{conversation}", ends: true),
    ObjectEndpoint(
      "POST", "/v1/conversations/{conversation}/items", makes: [("data[].id", .item)]),
    ObjectEndpoint(
      "GET", "/v1/conversations/{conversation}/items", makes: [("data[].id", .item)],
      list: .within(.item)),
    ObjectEndpoint("GET", "/v1/conversations/{conversation}/items/{item}"),
    ObjectEndpoint("DELETE", "/v1/conversations/{conversation}/items/{item}"),
  ]

  static let containers: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/containers", .refused, makes: [("id", .container)]),
    ObjectEndpoint("GET", "/v1/containers", .refused, list: .of(.container)),
    ObjectEndpoint("GET", "/v1/containers/{container}", .refused),
    ObjectEndpoint("DELETE", "/v1/containers/{container}", .refused, ends: true),
    ObjectEndpoint(
      "POST", "/v1/containers/{container}/files", .refused, makes: [("id", .container)]),
    ObjectEndpoint(
      "GET", "/v1/containers/{container}/files", .refused, makes: [("data[].id", .container)],
      list: .within(.container)),
    ObjectEndpoint("GET", "/v1/containers/{container}/files/{container}", .refused),
    ObjectEndpoint("GET", "/v1/containers/{container}/files/{container}/content", .refused),
    ObjectEndpoint("DELETE", "/v1/containers/{container}/files/{container}", .refused, ends: true),
  ]

  private static let store = "/v1/vector_stores/{vector_store}"

  static let vectorStores: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/vector_stores", .refused, makes: [("id", .vectorStore)]),
    ObjectEndpoint("GET", "/v1/vector_stores", .refused, list: .of(.vectorStore)),
    ObjectEndpoint("GET", store, .refused),
    ObjectEndpoint("POST", store, .refused),
    ObjectEndpoint("DELETE", store, .refused, ends: true),
    ObjectEndpoint("POST", "\(store)/search", .refused),
    ObjectEndpoint("POST", "\(store)/files", .refused),
    ObjectEndpoint("GET", "\(store)/files", .refused, list: .within(.file)),
    ObjectEndpoint("GET", "\(store)/files/{file}", .refused),
    ObjectEndpoint("GET", "\(store)/files/{file}/content", .refused),
    ObjectEndpoint("POST", "\(store)/files/{file}", .refused),
    ObjectEndpoint("DELETE", "\(store)/files/{file}", .refused),
    ObjectEndpoint("POST", "\(store)/file_batches", .refused, makes: [("id", .vectorStore)]),
    ObjectEndpoint("GET", "\(store)/file_batches/{vector_store}", .refused),
    ObjectEndpoint(
      "GET", "\(store)/file_batches/{vector_store}/files", .refused, list: .within(.file)),
    ObjectEndpoint("POST", "\(store)/file_batches/{vector_store}/cancel", .refused),
  ]

  static let skills: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/skills", makes: [("id", .skill)]),
    ObjectEndpoint("GET", "/v1/skills", list: .of(.skill)),
    ObjectEndpoint("GET", "/v1/skills/{skill}"),
    ObjectEndpoint("POST", "/v1/skills/{skill}"),
    ObjectEndpoint("DELETE", "/v1/skills/{skill}", ends: true),
    ObjectEndpoint("GET", "/v1/skills/{skill}/content"),
    ObjectEndpoint("POST", "/v1/skills/{skill}/versions"),
    ObjectEndpoint("GET", "/v1/skills/{skill}/versions", list: .within(.skill, isRecorded: false)),
    ObjectEndpoint("GET", "/v1/skills/{skill}/versions/*"),
    ObjectEndpoint("GET", "/v1/skills/{skill}/versions/*/content"),
    ObjectEndpoint("DELETE", "/v1/skills/{skill}/versions/*"),
  ]

  /// A job's results, and the model that it makes.
  private static let madeByJob: [(place: String, kind: ObjectKind)] = [
    ("result_files[]", .file), ("fine_tuned_model", .fineTuningJob),
  ]
  private static let job = "/v1/fine_tuning/jobs/{fine_tuning_job}"

  static let fineTuning: [ObjectEndpoint] = [
    ObjectEndpoint(
      "POST", "/v1/fine_tuning/jobs", .refused, makes: [("id", .fineTuningJob)] + madeByJob),
    ObjectEndpoint("GET", "/v1/fine_tuning/jobs", .refused, list: .of(.fineTuningJob)),
    ObjectEndpoint("GET", job, .refused, makes: madeByJob),
    ObjectEndpoint(
      "GET", "\(job)/events", .refused, list: .within(.fineTuningJob, isRecorded: false)),
    ObjectEndpoint(
      "GET", "\(job)/checkpoints", .refused,
      makes: [("data[].fine_tuned_model_checkpoint", .fineTuningJob)],
      list: .within(.fineTuningJob, isRecorded: false)),
    ObjectEndpoint("POST", "\(job)/cancel", .refused, makes: madeByJob),
    ObjectEndpoint("POST", "\(job)/pause", .refused, makes: madeByJob),
    ObjectEndpoint("POST", "\(job)/resume", .refused, makes: madeByJob),
    ObjectEndpoint("DELETE", "/v1/models/{fine_tuning_job}", .refused, ends: true),
  ]

  private static let run = "/v1/evals/{eval}/runs"

  static let evals: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/evals", .refused, makes: [("id", .eval)]),
    ObjectEndpoint("GET", "/v1/evals", .refused, list: .of(.eval)),
    ObjectEndpoint("GET", "/v1/evals/{eval}", .refused),
    ObjectEndpoint("POST", "/v1/evals/{eval}", .refused),
    ObjectEndpoint("DELETE", "/v1/evals/{eval}", .refused, ends: true),
    ObjectEndpoint("POST", run, .refused, makes: [("id", .eval)]),
    ObjectEndpoint("GET", run, .refused, makes: [("data[].id", .eval)], list: .within(.eval)),
    ObjectEndpoint("GET", "\(run)/{eval}", .refused),
    ObjectEndpoint("POST", "\(run)/{eval}/cancel", .refused),
    ObjectEndpoint("DELETE", "\(run)/{eval}", .refused, ends: true),
    ObjectEndpoint(
      "GET", "\(run)/{eval}/output_items", .refused, list: .within(.eval, isRecorded: false)),
    ObjectEndpoint("GET", "\(run)/{eval}/output_items/*", .refused),
  ]

  static let videos: [ObjectEndpoint] = [
    ObjectEndpoint("POST", "/v1/videos", .refused, makes: [("id", .video)]),
    ObjectEndpoint("GET", "/v1/videos", .refused, list: .of(.video)),
    ObjectEndpoint("POST", "/v1/videos/edits", .refused, makes: [("id", .video)]),
    ObjectEndpoint("POST", "/v1/videos/extensions", .refused, makes: [("id", .video)]),
    ObjectEndpoint("POST", "/v1/videos/characters", .refused, makes: [("id", .video)]),
    ObjectEndpoint("GET", "/v1/videos/characters/{video}", .refused),
    ObjectEndpoint("GET", "/v1/videos/{video}", .refused),
    ObjectEndpoint("GET", "/v1/videos/{video}/content", .refused),
    ObjectEndpoint("POST", "/v1/videos/{video}/remix", .refused, makes: [("id", .video)]),
    ObjectEndpoint("DELETE", "/v1/videos/{video}", .refused, ends: true),
  ]

  /// The endpoint of a request, with the objects that its path names.
  public struct Match: Sendable {
    public let endpoint: ObjectEndpoint
    public let references: [ObjectReference]
  }

  /// Finds the endpoint of a request; nil for one that the table doesn't have.
  ///
  /// `HEAD` is `GET` without the body. If the body must be read to know what it shows, `HEAD` has
  /// no endpoint: the length of everybody's list would tell about others.
  ///
  /// - Parameter path: a plain path without a provider's prefix and without the query.
  public static func match(method: String, path: String) -> Match? {
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    // A literal segment goes before an id: `/v1/responses/compact` is no response.
    var best: (match: Match, names: Int)?
    for endpoint in all where endpoint.serves(method) {
      guard let references = endpoint.references(in: segments) else { continue }
      if best.map({ endpoint.names < $0.names }) ?? true {
        best = (Match(endpoint: endpoint, references: references), endpoint.names)
      }
    }
    return best?.match
  }
}

extension ObjectEndpoint {
  fileprivate func serves(_ method: String) -> Bool {
    if method == self.method { return true }
    return method == "HEAD" && self.method == "GET" && list == nil && makes.isEmpty
  }

  /// How many segments of the path are ids of objects.
  fileprivate var names: Int { segments.count { $0.hasPrefix("{") } }

  /// The objects that a path names; nil where the path isn't of this endpoint.
  fileprivate func references(in segments: [Substring]) -> [ObjectReference]? {
    guard segments.count == self.segments.count else { return nil }
    var references: [ObjectReference] = []
    for (segment, part) in zip(segments, self.segments) {
      guard !segment.isEmpty else { return nil }
      if part.hasPrefix("{"), let kind = ObjectKind(rawValue: String(part.dropFirst().dropLast())) {
        references.append(ObjectReference(kind, String(segment)))
      } else if part == "*" {
        if let kind = ObjectKind(ofID: segment) {
          references.append(ObjectReference(kind, String(segment)))
        }
      } else if part != segment {
        return nil
      }
    }
    return references
  }
}
