/// What somebody is told of a commit, once the database is free again.
public typealias StorageNotice = @Sendable () -> Void
