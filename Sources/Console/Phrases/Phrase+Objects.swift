internal import Objects
internal import Pages

/// Texts of the page of objects.
extension Phrase {
  static let objects = Phrase("Objects", "Objetos")
  static let object = Phrase("Object", "Objeto")
  static let objectsExplained = Phrase(
    "Files, batches, responses and other objects that a provider keeps. Each belongs to the client "
      + "whose request made it, and other clients can't reach it.",
    "Arquivos, lotes, respostas e outros objetos que um provedor guarda. Cada um pertence ao "
      + "cliente cuja requisição o criou, e os outros clientes não têm acesso a ele.")
  static let noObjects = Phrase(
    "No object matches. An object that Catraca doesn't know is out of every client's reach.",
    "Nenhum objeto encontrado. Um objeto que o Catraca não conhece fica fora do alcance de todos "
      + "os clientes.")
  static let kind = Phrase("Kind", "Tipo")
  static let owner = Phrase("Owner", "Dono")
  static let objectID = Phrase("Object ID", "ID do objeto")
  static let objectIDHint = Phrase(
    "The provider's ID, such as file-abc123.", "O ID do provedor, como file-abc123.")
  static let sharedWithAll = Phrase("all clients", "todos os clientes")
  static let assignObject = Phrase("Assign an object", "Atribuir um objeto")
  static let assign = Phrase("Assign", "Atribuir")
  static let everybodyHint = Phrase(
    "The client's ID, or * to share the object with all clients.",
    "O ID do cliente, ou * para compartilhar o objeto com todos os clientes.")
  static let share = Phrase("Share with all", "Compartilhar com todos")
  static let reallyShare = Phrase(
    "Share this object with all clients? Each of them can read, change and delete it.",
    "Compartilhar este objeto com todos os clientes? Cada um deles poderá ler, alterar e "
      + "apagar o objeto.")
  static let forget = Phrase("Forget", "Esquecer")
  static let reallyForget = Phrase(
    "Forget the owner of this object? No client can reach it until it is assigned again.",
    "Esquecer o dono deste objeto? Nenhum cliente terá acesso a ele até que seja atribuído de "
      + "novo.")
  static let nextPage = Phrase("More", "Mais")

  static func recordedIn(_ zone: String) -> Phrase {
    Phrase("Recorded (\(zone))", "Registrado (\(zone))")
  }

  static func deletedAt(_ moment: String) -> Phrase {
    Phrase("deleted \(moment)", "apagado em \(moment)")
  }

  static func name(of kind: ObjectKind) -> Phrase {
    switch kind {
    case .file: Phrase("file", "arquivo")
    case .upload: Phrase("upload", "upload")
    case .batch: Phrase("batch", "lote")
    case .response: Phrase("response", "resposta")
    case .completion: Phrase("stored completion", "resposta de chat guardada")
    case .conversation: Phrase("conversation", "conversa")
    case .item: Phrase("item", "item")
    case .container: Phrase("container", "contêiner")
    case .vectorStore: Phrase("vector store", "base vetorial")
    case .skill: Phrase("skill", "skill")
    case .prompt: Phrase("prompt", "prompt")
    case .video: Phrase("video", "vídeo")
    case .eval: Phrase("evaluation", "avaliação")
    case .fineTuningJob: Phrase("fine-tuning job", "ajuste fino")
    }
  }
}
