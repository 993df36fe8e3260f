extension Migration {
  /// The objects that providers keep, and whose they are.
  static let providerObjectTables = Migration(
    number: 28, name: "objects at providers", isAdditive: true,
    sqlite: """
      CREATE TABLE provider_objects (
        provider TEXT NOT NULL,
        object_id TEXT NOT NULL, -- as the provider names it
        kind TEXT NOT NULL,
        client_id TEXT NOT NULL, -- '*': all clients may use it
        key_name TEXT, -- whose request made it; NULL: an administrator assigned it
        created_at TEXT NOT NULL,
        deleted_at TEXT, -- NULL: it is there
        PRIMARY KEY (provider, object_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX provider_objects_client
        ON provider_objects (client_id, provider, kind, created_at, object_id);
      CREATE INDEX provider_objects_deleted_at ON provider_objects (deleted_at)
        WHERE deleted_at IS NOT NULL;
      """,
    postgresql: """
      CREATE TABLE provider_objects (
        provider TEXT COLLATE "C" NOT NULL,
        object_id TEXT COLLATE "C" NOT NULL, -- as the provider names it
        kind TEXT COLLATE "C" NOT NULL,
        client_id TEXT COLLATE "C" NOT NULL, -- '*': all clients may use it
        key_name TEXT COLLATE "C", -- whose request made it; NULL: an administrator assigned it
        created_at TEXT COLLATE "C" NOT NULL,
        deleted_at TEXT COLLATE "C", -- NULL: it is there
        PRIMARY KEY (provider, object_id)
      );
      CREATE INDEX provider_objects_client
        ON provider_objects (client_id, provider, kind, created_at, object_id);
      CREATE INDEX provider_objects_deleted_at ON provider_objects (deleted_at)
        WHERE deleted_at IS NOT NULL;
      """)

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
