import CardSecrets
import Cryptography
public import Determinism
public import HostSecurity
public import ISO8583
import Payments

/// Enciphers the card data that messages after a request demand, so that the journal can keep it until they are sent.
///
/// Each time, a data key follows from the storage key and 32 random bytes: the key derivation of NIST SP 800-108 in
/// counter mode, with the CMAC of AES. So the same key can be in a file or in a token, and never leaves it. Under the
/// data key, AES-256-GCM enciphers the fields. It also covers the attempt, the host, and the profile: what was moved to
/// another attempt does not open.
///
/// The layout is: 1 (one byte), the random bytes (32), the nonce (12), the fields, and the tag (16). A field is its
/// number, the number of its bytes, and its bytes.
public struct CardSealer: Sendable {
    /// Returns the CMAC of data under the storage key, 16 bytes.
    public typealias Derivation = @Sendable (_ data: [UInt8]) async throws(KeyUseError) -> [UInt8]

    /// The fields that can be kept: card number, expiration date, track 2, and track 1.
    static let fields: [Int] = [2, 14, 35, 45]

    private static let version: UInt8 = 1
    private static let seedLength = 32
    private static let label = Array("cardpresent card data".utf8)

    private let profile: MessageProfile
    private let random: any RandomSource
    private let derive: Derivation

    /// The attempt and the host that card data belongs to.
    struct Place: Hashable, Sendable {
        let key: IdempotencyKey
        /// The address of the host, `HOST:PORT`; nil for the only one.
        let destination: String?
    }

    /// - Parameters:
    ///   - profile: the dialect of the host.
    ///   - random: gives the random bytes.
    ///   - derive: uses the storage key.
    public init(_ profile: MessageProfile, random: any RandomSource, derive: @escaping Derivation) {
        (self.profile, self.random, self.derive) = (profile, random, derive)
    }

    /// Enciphers fields of a card.
    ///
    /// - Throws: ``CardSealingError``; ``CardSealingError/missing(_:)`` when the card lacks one of them.
    func seal(
        _ card: KeptCard, _ fields: FieldSet, for place: Place
    ) async throws(CardSealingError) -> SealedCardData {
        try await seal(CardFields(profile: profile).values(of: card), fields, for: place)
    }

    /// Enciphers fields by their values, as messages have them.
    ///
    /// - Throws: ``CardSealingError``; ``CardSealingError/missing(_:)`` when there is no value of one of them.
    func seal(
        _ values: [Int: SecretValue], _ fields: FieldSet, for place: Place
    ) async throws(CardSealingError) -> SealedCardData {
        var bytes: [UInt8] = []
        // No copy of the bytes stays behind when there is room for all of them.
        bytes.reserveCapacity(512)
        defer { bytes.wipe() }
        for field in fields {
            guard let value = values[field], (1...255).contains(value.bytes.count) else { throw .missing(field) }
            bytes.append(UInt8(field))
            bytes.append(UInt8(value.bytes.count))
            value.bytes.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        let seed = random.bytes(Self.seedLength)
        let nonce = random.bytes(AESGCM.nonceLength)
        let key = try await dataKey(seed)
        do throws(CryptographyError) {
            let sealed = try AESGCM.seal(
                SensitiveBytes(bytes), key: key, nonce: nonce, context: context(place))
            return SealedCardData([Self.version] + seed + nonce + sealed)
        } catch { throw .key(.cryptography(error)) }
    }

    /// Deciphers fields.
    ///
    /// - Parameters:
    ///   - sealed: what the journal has; nil when it has nothing.
    ///   - place: what the fields belong to.
    /// - Returns: the values by field, as messages have them.
    /// - Throws: ``CardSealingError``
    func open(_ sealed: SealedCardData?, of place: Place) async throws(CardSealingError) -> [Int: SecretValue] {
        guard let bytes = sealed?.bytes else { throw .gone }
        let head = 1 + Self.seedLength + AESGCM.nonceLength
        guard bytes.count > head, bytes[0] == Self.version else { throw .closed }
        let key = try await dataKey(Array(bytes[1..<1 + Self.seedLength]))
        do throws(CryptographyError) {
            let opened = try AESGCM.open(
                Array(bytes[head...]), key: key, nonce: Array(bytes[(1 + Self.seedLength)..<head]),
                context: context(place))
            return opened.withUnsafeBytes { Self.values(in: $0) }
        } catch { throw error == .notAuthentic ? .closed : .key(.cryptography(error)) }
    }

    /// Reads fields until the end, or until one that is not whole.
    private static func values(in bytes: UnsafeRawBufferPointer) -> [Int: SecretValue] {
        var values: [Int: SecretValue] = [:]
        var place = 0
        while place + 2 <= bytes.count {
            let (field, end) = (Int(bytes[place]), place + 2 + Int(bytes[place + 1]))
            guard end <= bytes.count else { break }
            values[field] = SecretValue(SensitiveBytes(bytes[(place + 2)..<end]))
            place = end
        }
        return values
    }

    private func context(_ place: Place) -> [UInt8] {
        Array(place.key.rawValue.utf8) + [0] + Array((place.destination ?? "").utf8) + [0] + Array(profile.name.utf8)
    }

    private func dataKey(_ seed: [UInt8]) async throws(CardSealingError) -> SensitiveBytes {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(AESGCM.keyLength)
        defer { bytes.wipe() }
        for number: UInt8 in 1...2 {
            // Counter, label, zero, context, and the length of the key in bits.
            let data = [number] + Self.label + [0] + seed + [1, 0]
            do throws(KeyUseError) {
                var block = try await derive(data)
                bytes += block
                block.wipe()
            } catch { throw .key(error) }
        }
        return SensitiveBytes(bytes)
    }
}

/// Why card data can't be enciphered or deciphered. It has no digit of it.
enum CardSealingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no storage key.
    case noKey
    /// The card lacks a field that a later message demands.
    case missing(Int)
    /// The journal has no card data for the message.
    case gone
    /// It is under another key, or belongs to another attempt, host, or profile.
    case closed
    case key(KeyUseError)

    var description: String {
        switch self {
        case .noKey: "there is no key '\(HostKeys.storageName)' for it"
        case .missing(let field): "the card has no field \(field)"
        case .gone: "the journal does not have it any more"
        case .closed: "it is under another key, or of another attempt, host, or profile"
        case .key(let error): "\(error)"
        }
    }
}
