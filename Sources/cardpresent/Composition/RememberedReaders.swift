internal import Determinism
internal import FoundationEssentials
internal import Storage
internal import Yosemite

/// What the records know of the readers that were used.
struct RememberedReaders: Sendable {
    private let register: ReaderRegister

    /// Opens the records, and makes them where there are none yet.
    ///
    /// - Throws: `CommandFailure`
    init(_ data: DatabaseOptions) throws(CommandFailure) {
        let path = try data.path()
        do throws(StorageError) {
            register = ReaderRegister(storage: try SQLiteStorageManager(path: path))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The readers that were used, the last one first, for a command that can do without: it makes no records where
    /// there are none, and records that cannot be read are told of on stderr.
    static func known(_ data: DatabaseOptions) -> [RememberedCardReader] {
        do throws(CommandFailure) {
            guard FileManager.default.fileExists(atPath: try data.path()) else { return [] }
            return try RememberedReaders(data).all()
        } catch {
            StandardError.write("cardpresent: which readers were used before is not known: \(error.message)\n")
            return []
        }
    }

    /// The last used reader first.
    ///
    /// - Throws: `CommandFailure`
    func all() throws(CommandFailure) -> [RememberedCardReader] {
        do throws(StorageError) {
            return try register.readers().map { RememberedCardReader(id: $0.id, name: $0.name, usedAt: $0.usedAt) }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes a reader the last used one.
    ///
    /// - Throws: `CommandFailure`
    func remember(id: String, name: String) throws(CommandFailure) {
        do throws(StorageError) {
            try register.remember(id: id, name: name, at: SystemTimeSource().now())
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Forgets a reader; all of them when `id` is nil.
    ///
    /// - Returns: how many were forgotten.
    /// - Throws: `CommandFailure`
    func forget(id: String?) throws(CommandFailure) -> Int {
        do throws(StorageError) { return try register.forget(id: id) } catch { throw CommandFailure(error) }
    }
}
