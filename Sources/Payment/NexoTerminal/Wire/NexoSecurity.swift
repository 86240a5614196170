public import CardSecrets
public import Cryptography
import Determinism
import Terminal
import Text

/// The key that a till and a terminal share, made of a passphrase. Both sides name it by identifier and version.
public final class NexoKey: Sendable {
    /// The name of the key.
    public let identifier: String
    /// The version of the passphrase under this name.
    public let version: Int
    private let codeKey: SensitiveBytes
    private let cipherKey: SensitiveBytes
    private let vector: SensitiveBytes

    /// The only version of the encryption (AdyenCryptoVersion).
    static let cryptoVersion = 1
    private static let salt = Array("AdyenNexoV1Salt".utf8)
    private static let rounds = 4000

    /// Derives the parts of the key: 80 bytes of PBKDF2 with HMAC-SHA-1 and 4,000 rounds, of which 32 are for the
    /// HMAC, 32 for AES, and 16 for its initialization vector.
    ///
    /// - Parameters:
    ///   - passphrase: the bytes of the passphrase.
    ///   - identifier: its name.
    ///   - version: its version.
    /// - Throws: a failure of libcrypto.
    public init(
        passphrase: borrowing SensitiveBytes, identifier: String, version: Int
    ) throws(CryptographyError) {
        let derived = try PBKDF2.derive(passphrase, salt: Self.salt, rounds: Self.rounds, count: 80, hash: .sha1)
        (self.identifier, self.version) = (identifier, version)
        codeKey = derived.part(0..<32)
        cipherKey = derived.part(32..<64)
        vector = derived.part(64..<80)
    }

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - text: the whole message in UTF-8.
    ///   - nonce: 16 bytes that no other message under the key has.
    /// - Returns: the members `NexoBlob` and `SecurityTrailer`.
    /// - Throws: a failure of libcrypto.
    func seal(_ text: [UInt8], nonce: [UInt8]) throws(CryptographyError) -> [JSONValue.Member] {
        let padding = AES.blockLength - text.count % AES.blockLength
        let padded = text + [UInt8](repeating: UInt8(padding), count: padding)
        let cipher = try AES.encrypt(padded, key: cipherKey, initializationVector: initializationVector(nonce))
        let code = try HMAC.code(text, key: codeKey)
        return [
            .init("NexoBlob", .text(cipher.base64)),
            .init(
                "SecurityTrailer",
                [
                    "AdyenCryptoVersion": JSONValue(Self.cryptoVersion), "KeyIdentifier": .text(identifier),
                    "KeyVersion": JSONValue(version), "Nonce": .text(nonce.base64), "Hmac": .text(code.base64),
                ]),
        ]
    }

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - blob: the text of `NexoBlob`.
    ///   - trailer: what its `SecurityTrailer` says.
    /// - Returns: the message; nil when it was made with another key or changed on the way. Nothing tells the two
    ///   apart.
    func open(_ blob: String, _ trailer: NexoTrailer) -> [UInt8]? {
        guard trailer.identifier == identifier, trailer.version == version,
            trailer.nonce.count == AES.blockLength, let cipher = [UInt8](base64: blob), !cipher.isEmpty,
            let padded = try? AES.decrypt(
                cipher, key: cipherKey, initializationVector: initializationVector(trailer.nonce)),
            let last = padded.last, (1...UInt8(AES.blockLength)).contains(last),
            padded.suffix(Int(last)).allSatisfy({ $0 == last })
        else { return nil }
        let text = Array(padded.dropLast(Int(last)))
        guard let code = try? HMAC.code(text, key: codeKey),
            SensitiveBytes(code).isEqual(to: SensitiveBytes(trailer.code))
        else { return nil }
        return text
    }

    private func initializationVector(_ nonce: [UInt8]) -> [UInt8] {
        vector.exclusiveOr(nonce).withUnsafeBytes { [UInt8]($0) }
    }
}

/// The member `SecurityTrailer` of an encrypted message.
struct NexoTrailer: Hashable, Sendable {
    let identifier: String
    let version: Int
    /// 16 bytes.
    let nonce: [UInt8]
    /// 32 bytes.
    let code: [UInt8]

    private static let shape = NexoShape.fields([
        "AdyenCryptoVersion*": .number, "KeyIdentifier*": .text, "KeyVersion*": .number, "Nonce*": .text,
        "Hmac*": .text,
    ])

    /// Nil when a part is missing or malformed, or of another version of the encryption.
    init?(_ json: JSONValue) {
        do throws(NexoFailure) { try Self.shape.check(json, at: "SecurityTrailer") } catch { return nil }
        guard json["AdyenCryptoVersion"]?.textValue == "\(NexoKey.cryptoVersion)",
            let identifier = json["KeyIdentifier"]?.string,
            let version = json["KeyVersion"]?.textValue.flatMap({ Int($0) }),
            let nonce = json["Nonce"]?.string.flatMap({ [UInt8](base64: $0) }), nonce.count == 16,
            let code = json["Hmac"]?.string.flatMap({ [UInt8](base64: $0) }), code.count == 32
        else { return nil }
        (self.identifier, self.version, self.nonce, self.code) = (identifier, version, nonce, code)
    }
}

/// Remembers the nonces of messages, so that a message that was recorded on the way is not carried out again.
struct NexoNonces: Sendable {
    /// What follows for a message whose code was right.
    enum Answer: Hashable, Sendable {
        case new
        /// Another message had the nonce.
        case known
        /// No more nonces can be remembered for now, so that nothing may be done.
        case noRoom
    }

    private var known: Set<NexoNonce> = []
    private var order: [(nonce: NexoNonce, date: Timestamp)] = []
    private let most: Int
    /// Whether ``takeChanges()`` has what is to be kept for the next start.
    var notesChanges = false
    private var changes: [KeptObject] = []

    /// As long as a ServiceID may not come again: 48 hours. Only older nonces are ever forgotten.
    static let lifetime = Duration.seconds(48 * 3600)
    /// The most that are kept.
    static let most = 200_000
    /// The most that are forgotten for one new nonce, so that no message takes long.
    private static let piece = 100
    /// The kind of nonces among kept objects.
    private static let kind = "nonce"

    /// Remembers nothing yet.
    init(most: Int = NexoNonces.most) { self.most = most }

    /// Takes the 16 bytes of a nonce. What is older than 48 hours is forgotten when there is no room.
    mutating func take(_ nonce: [UInt8], at now: Timestamp) -> Answer {
        guard let nonce = NexoNonce(nonce), !known.contains(nonce) else { return .known }
        if order.count >= most {
            let limit = now.advanced(by: .zero - Self.lifetime)
            forget(order.prefix(Self.piece).prefix { $0.date < limit }.count)
        }
        guard order.count < most else { return .noRoom }
        known.insert(nonce)
        order.append((nonce, now))
        note(nonce, now)
        return .new
    }

    private mutating func forget(_ count: Int) {
        for entry in order.prefix(count) {
            known.remove(entry.nonce)
            note(entry.nonce, nil)
        }
        order.removeFirst(count)
    }

    private mutating func note(_ nonce: NexoNonce, _ moment: Timestamp?) {
        guard notesChanges else { return }
        changes.append(
            KeptObject(
                name: nonce.name, kind: Self.kind,
                contents: moment.map { JSONValue.object([.init("taken", JSONValue($0.milliseconds))]).jsonText }))
    }

    /// Takes what is to be kept before a message is acted on.
    mutating func takeChanges() -> [KeptObject] {
        defer { changes = [] }
        return changes
    }

    /// Takes up what an earlier start kept, in the order in which the nonces came.
    mutating func takeUp(_ objects: [KeptObject]) {
        for object in objects where object.kind == Self.kind {
            guard let nonce = NexoNonce(name: object.name),
                let json = object.contents.flatMap({ JSONReader.node(Array($0.utf8)) }),
                let taken = json["taken"]?.textValue.flatMap({ Int64($0) }), known.insert(nonce).inserted
            else { continue }
            order.append((nonce, Timestamp(milliseconds: taken)))
        }
    }
}

/// The 16 bytes of a nonce, without memory of their own.
private struct NexoNonce: Hashable {
    let high: UInt64
    let low: UInt64

    private static let prefix = "nexo nonce "

    /// Nil for another number of bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    init?(name: String) {
        guard name.hasPrefix(Self.prefix),
            let bytes = [UInt8](hexadecimal: String(name.dropFirst(Self.prefix.count)))
        else { return nil }
        self.init(bytes)
    }

    /// The name among kept objects.
    var name: String {
        let bytes = [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
        return Self.prefix + bytes.lowercaseHexadecimal
    }
}
