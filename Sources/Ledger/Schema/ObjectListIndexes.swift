extension Migration {
  /// Indexes for lists of an owner's objects: one for objects that are there, one for deleted ones.
  /// A list of present objects never passes over deleted ones, however many there are.
  ///
  /// Earlier servers find the same rows: each of their questions asks for present objects.
  static let objectListIndexes = Migration(
    number: 31, name: "lists of objects", isAdditive: true, sqlite: indexes, postgresql: indexes)

  private static let indexes = """
    DROP INDEX provider_objects_client;
    CREATE INDEX provider_objects_client
      ON provider_objects (client_id, provider, kind, created_at, object_id)
      WHERE deleted_at IS NULL;
    CREATE INDEX provider_objects_client_deleted
      ON provider_objects (client_id, provider, kind, created_at, object_id)
      WHERE deleted_at IS NOT NULL;
    """
}
