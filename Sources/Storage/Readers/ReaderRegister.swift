public import Determinism

/// The card readers that were used and not forgotten.
public struct ReaderRegister: Sendable {
    private let storage: any StorageManagerType

    public init(storage: any StorageManagerType) { self.storage = storage }

    /// The last used reader first.
    ///
    /// - Throws: ``StorageError``
    public func readers() throws(StorageError) -> [RememberedReader] {
        do {
            return try storage.read { try Self.readers(in: $0) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Makes a reader the last used one. Nothing is written when it is already, so that using one reader day after day
    /// costs no flush of the disk.
    ///
    /// - Parameters:
    ///   - id: 1...300 characters; longer ones are not remembered.
    ///   - name: cut to 300 characters.
    ///   - moment: the time that it is.
    /// - Throws: ``StorageError``
    public func remember(id: String, name: String, at moment: Timestamp) throws(StorageError) {
        guard (1...300).contains(id.count), try readers().first?.id != id else { return }
        do {
            try storage.performAndSave { storage in
                let last = try Self.readers(in: storage).first
                guard last?.id != id else { return }
                let reader = RememberedReader(
                    id: id, name: String(name.prefix(300)), turn: (last?.turn ?? 0) + 1, usedAt: moment)
                if try storage.loadObject(ofType: RememberedReader.self, with: id) == nil {
                    try storage.insertNewObject(reader)
                } else {
                    try storage.updateObject(reader)
                }
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Forgets a reader; all of them when `id` is nil.
    ///
    /// - Returns: how many were forgotten.
    /// - Throws: ``StorageError``
    public func forget(id: String?) throws(StorageError) -> Int {
        do {
            return try storage.performAndSave { storage in
                try storage.deleteObjects(
                    ofType: RememberedReader.self,
                    matching: id.map { StoragePredicate("id = ?", $0) } ?? StoragePredicate("TRUE"))
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private var path: String { storage.path ?? ":memory:" }

    private static func readers(in storage: any StorageType) throws -> [RememberedReader] {
        try storage.allObjects(ofType: RememberedReader.self, matching: nil, sortedBy: "turn DESC", limit: nil)
    }
}
