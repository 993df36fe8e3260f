internal import CYAML

/// libyaml's parser as a stream of nodes. It owns the C parser and frees it.
@safe final class YAMLEvents {
  /// The kind of the node that was appended to the tree.
  enum Event {
    case scalar
    /// The items follow, then `.end`.
    case sequence
    /// The keys and values follow in turn, then `.end`.
    case mapping
    /// Nothing was appended: the end of a sequence, of a mapping, or of the file.
    case end
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// Creates a parser. `bytes` must outlive this object. They are read as UTF-8, whatever a byte
  /// order mark says.
  init(reading bytes: UnsafeBufferPointer<UInt8>) {
    unsafe parser = .allocate(capacity: 1)
    guard unsafe yaml_parser_initialize(parser) == 1 else {
      preconditionFailure("out of memory")
    }
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
  }

  /// Appends the next value, or the beginning of one, to a tree. Marks of the stream and of
  /// documents are skipped.
  func next(into tree: YAMLTree) throws(YAMLRefusal) -> Event {
    while true {
      var event = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw refusal() }
      defer { unsafe yaml_event_delete(&event) }
      let mark = unsafe YAMLMark(event.start_mark)
      switch unsafe event.type {
      case YAML_SCALAR_EVENT:
        let scalar = unsafe event.data.scalar
        try unsafe refuseDecoration(scalar.anchor, scalar.tag, at: mark)
        unsafe tree.append(
          scalar: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
          isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE, at: mark)
        return .scalar
      case YAML_SEQUENCE_START_EVENT:
        let start = unsafe event.data.sequence_start
        try unsafe refuseDecoration(start.anchor, start.tag, at: mark)
        tree.append(container: .sequence, at: mark)
        return .sequence
      case YAML_MAPPING_START_EVENT:
        let start = unsafe event.data.mapping_start
        try unsafe refuseDecoration(start.anchor, start.tag, at: mark)
        tree.append(container: .mapping, at: mark)
        return .mapping
      case YAML_ALIAS_EVENT:
        throw YAMLRefusal(mark, "an alias (*name); write the value out instead")
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT, YAML_STREAM_END_EVENT:
        return .end
      default:
        continue
      }
    }
  }

  private func refuseDecoration(
    _ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?, at mark: YAMLMark
  ) throws(YAMLRefusal) {
    if unsafe anchor != nil {
      throw YAMLRefusal(mark, "an anchor (&name); write the value out where it is needed")
    }
    if unsafe tag != nil {
      throw YAMLRefusal(mark, "a tag (!name); values need none here")
    }
  }

  /// Returns libyaml's own message and place.
  private func refusal() -> YAMLRefusal {
    let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "broken"
    switch unsafe parser.pointee.error {
    case YAML_READER_ERROR:
      return unsafe YAMLRefusal(byte: Int(parser.pointee.problem_offset), "not YAML: \(problem)")
    case YAML_MEMORY_ERROR:
      return YAMLRefusal(.start, "not enough memory to read this file")
    default:
      let context = unsafe parser.pointee.context.map { unsafe " \(String(cString: $0))" } ?? ""
      let mark = unsafe YAMLMark(parser.pointee.problem_mark)
      return YAMLRefusal(mark, "not YAML:\(context) \(problem)")
    }
  }
}

extension YAMLMark {
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: UInt32(clamping: mark.line), column: UInt32(clamping: mark.column))
  }
}
