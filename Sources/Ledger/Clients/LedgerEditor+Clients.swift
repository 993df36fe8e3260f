internal import Time

// Changes of clients that no file declares, and of keys, whose clients may be declared.

extension LedgerEditor {
  /// Creates a client.
  /// - Throws: `LedgerError.alreadyExists`, also for the ID of a deleted client.
  public func create(_ client: StoredClient) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      if try connection.find(StoredClient.self, client.id) != nil {
        throw .alreadyExists(record: "a client \(client.id)")
      }
      if try isDeleted(client.id) {
        throw .alreadyExists(
          record: "a deleted client \(client.id), and ids are never used again")
      }
      try connection.insert(client)
      try record("client.create", before: nil, after: client)
    }
  }

  /// Suspends or resumes a client.
  /// - Throws: `LedgerError.notFound`.
  public func setStatus(
    _ status: StoredClient.Status, ofClient id: String
  ) throws(LedgerError) -> StoredClient {
    try updateClient(id) { $0.status = status }
  }

  /// Changes any property of a client except its ID.
  /// - Throws: `LedgerError.notFound`.
  public func updateClient(
    _ id: String, _ change: (inout StoredClient) -> Void
  ) throws(LedgerError) -> StoredClient {
    try connection.edit { () throws(LedgerError) in
      try update(try existingClient(id), "client.update", change)
    }
  }

  /// Deletes a client, revokes its keys and ends its subscription. Its rows stay.
  /// - Throws: `LedgerError.notFound`.
  public func deleteClient(_ id: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let client = try existingClient(id)
      for key in try connection.all(StoredKey.self, where: "client_id = ?", id) {
        try revoke(key)
      }
      if let subscription = try connection.find(StoredSubscription.self, id) {
        try end(subscription)
      }
      let delete = try connection.prepare(
        "UPDATE clients SET deleted_at = ?2, updated_at = ?2 WHERE id = ?1 AND deleted_at IS NULL")
      try delete.run(id, author.now.rfc3339)
      try record("client.delete", before: client, after: nil)
    }
  }

  private func existingClient(_ id: String) throws(LedgerError) -> StoredClient {
    guard let client = try connection.find(StoredClient.self, id) else {
      throw .notFound(record: "client \(id)")
    }
    return client
  }

  /// Whether this ID belonged to a client that was deleted.
  func isDeleted(_ id: String) throws(LedgerError) -> Bool {
    let count = try connection.prepare(
      "SELECT count(*) FROM clients WHERE id = ? AND deleted_at IS NOT NULL")
    count.bind(id)
    return try count.firstInteger() == 1
  }

  // MARK: Keys

  /// Adds a key to a client. The caller must check that the client exists, because a file may
  /// declare it.
  /// - Throws: `LedgerError.notFound` if the client was deleted; `LedgerError.alreadyExists` if the
  ///   client has a key of that name that isn't revoked.
  public func create(_ key: StoredKey) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      if try isDeleted(key.clientID) {
        throw .notFound(record: "client \(key.clientID): it was deleted")
      }
      if try connection.find(StoredKey.self, key.clientID, key.name) != nil {
        throw .alreadyExists(record: "a key \(key.name) of client \(key.clientID)")
      }
      try connection.insert(key)
      try record("key.create", before: nil, after: key)
    }
  }

  /// Changes the rights of a key.
  /// - Throws: `LedgerError.notFound`.
  public func updateKey(
    _ name: String, ofClient clientID: String, _ change: (inout StoredKey) -> Void
  ) throws(LedgerError) -> StoredKey {
    try connection.edit { () throws(LedgerError) in
      try update(try existingKey(name, of: clientID), "key.update", change)
    }
  }

  /// Revokes a key at once, including its previous digest.
  /// - Throws: `LedgerError.notFound`.
  public func revokeKey(_ name: String, ofClient clientID: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      try revoke(try existingKey(name, of: clientID))
    }
  }

  /// Gives a key another digest. The current digest works on for `overlap`, at least 0; the one
  /// before it stops working.
  /// - Throws: `LedgerError.notFound`.
  public func rotateKey(
    _ name: String, ofClient clientID: String, to sha256: String, overlap: Duration
  ) throws(LedgerError) -> StoredKey {
    try connection.edit { () throws(LedgerError) in
      try update(try existingKey(name, of: clientID), "key.rotate") { key in
        key.previousSHA256 = key.sha256
        key.previousExpiresAt = author.now.advanced(by: overlap)
        key.sha256 = sha256
      }
    }
  }

  private func revoke(_ key: StoredKey) throws(LedgerError) {
    var revoked = key
    revoked.revokedAt = author.now
    revoked.updatedAt = author.now
    try connection.update(revoked)
    try record("key.delete", before: key, after: nil)
  }

  private func existingKey(_ name: String, of clientID: String) throws(LedgerError) -> StoredKey {
    guard let key = try connection.find(StoredKey.self, clientID, name) else {
      throw .notFound(record: "key \(name) of client \(clientID)")
    }
    return key
  }
}
