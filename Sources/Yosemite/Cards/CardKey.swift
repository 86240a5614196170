internal import CardSecrets
internal import Cryptography
public import Determinism
public import Storage

/// Makes the fingerprints of cards: AES-CMAC over the PAN under a key of 256 bits, which is what PCI DSS 3.5.1.1 calls a
/// keyed cryptographic hash of the whole PAN. Without the key, trying every number leads nowhere.
public final class CardKey: Sendable {
    private let key: SensitiveBytes

    private init(_ file: consuming CardKeyFile) { key = file.key }

    /// The key of a database, from the file `<database>.card-key` beside it. It is made with the first use, readable by
    /// its owner alone, and never again as long as there are fingerprints that were made with it.
    ///
    /// - Parameters:
    ///   - register: what the fingerprints are for.
    ///   - random: where a new key comes from. It must be a source of secrets.
    /// - Returns: the key.
    /// - Throws: ``CardKeyError``
    public static func open(for register: CardRegister, random: any RandomSource) throws(CardKeyError) -> CardKey {
        guard let database = register.path else { return CardKey(CardKeyFile(drawnFrom: random)) }
        let path = CardKeyFile.path(besides: database)
        do {
            if let name = try register.keyName(), let file = try CardKeyFile(readFrom: path), file.name == name {
                return CardKey(file)
            }
            var settled: CardKey?
            try register.settleKey { name, isInUse in
                let file: CardKeyFile
                if let found = try CardKeyFile(readFrom: path) {
                    guard name == nil || name == found.name || !isInUse else {
                        throw CardKeyError.anotherKey(path: path)
                    }
                    file = found
                } else {
                    guard !isInUse else { throw CardKeyError.missing(path: path) }
                    file = CardKeyFile(drawnFrom: random)
                    try file.write(to: path)
                }
                let used = file.name
                settled = CardKey(file)
                return used
            }
            if let settled { return settled }
            throw CardKeyError.missing(path: path)
        } catch let error as CardKeyError {
            throw error
        } catch let error as StorageError {
            throw .storage(error)
        } catch {
            throw .system(path: path, reason: "\(error)")
        }
    }

    /// nil when libcrypto fails.
    func fingerprint(_ pan: borrowing PrimaryAccountNumber) -> CardFingerprint? {
        var digits = pan.withDigits { Array($0) }
        defer { digits.wipe() }
        return (try? AESCMAC.mac(digits, key: key)).flatMap(CardFingerprint.init)
    }
}
