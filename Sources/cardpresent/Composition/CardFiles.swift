internal import Determinism
internal import Hardware
internal import Storage
internal import Yosemite

/// Opens what the terminal remembers of cards.
enum CardFiles {
    /// What the kernel asks.
    ///
    /// - Throws: `CommandFailure`
    static func history(
        in storage: any StorageManagerType, _ settings: TillConfiguration, _ time: any TimeSource
    ) throws(CommandFailure) -> StoredCardHistory {
        let register = CardRegister(storage: storage)
        let key = try key(of: register)
        do throws(StorageError) {
            return try StoredCardHistory(register: register, key: key, window: settings.splitSaleWindow, time: time)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// - Throws: `CommandFailure`
    static func register(_ data: DatabaseOptions) throws(CommandFailure) -> CardRegister {
        let path = try data.path()
        do throws(StorageError) {
            return CardRegister(storage: try SQLiteStorageManager(path: path))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// A key outlives the run that makes it, so it never comes from a seed, which anybody can guess.
    ///
    /// - Throws: `CommandFailure`
    static func key(of register: CardRegister) throws(CommandFailure) -> CardKey {
        do throws(CardKeyError) {
            return try CardKey.open(for: register, random: SystemRandomSource())
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: CardKeyError) {
        let (message, fix) = error.description.splitAtFix
        switch error {
        case .storage(let error): self.init(error)
        case .missing, .anotherKey, .malformed: self.init(.badData, code: "card_key", message: message, fix: fix)
        case .readableByOthers, .system: self.init(.unavailable, code: "card_key", message: message, fix: fix)
        }
    }
}
