import CardSecrets
import Cryptography
import ISO8583

/// A key that a token keeps: data goes there and comes back, and the key never does.
struct TokenKey: Sendable {
    let session: TokenSession
    /// The number of the object in the session.
    let object: UInt
    /// The label.
    let name: String
    let cipher: HostKey.Cipher

    private static let tripleDESBlock = [UInt8](repeating: 0, count: TripleDES.blockLength)

    /// Enciphers whole blocks, each for itself.
    func encipher(_ data: SecretValue) async throws(TokenError) -> SecretValue {
        try await session.perform(.encrypt, inBlocks, data, with: self)
    }

    /// Deciphers whole blocks, each for itself.
    func decipher(_ data: SecretValue) async throws(TokenError) -> SecretValue {
        try await session.perform(.decrypt, inBlocks, data, with: self)
    }

    /// Triple DES over chained blocks, from an initial block of zeros.
    func chain(_ blocks: [UInt8]) async throws(TokenError) -> [UInt8] {
        let result = try await session.perform(
            .encrypt, .tripleDESChained, parameter: Self.tripleDESBlock, SecretValue(SensitiveBytes(blocks)),
            with: self)
        return result.bytes.withUnsafeBytes { [UInt8]($0) }
    }

    /// The CMAC of data, or with a key for HMAC its HMAC-SHA256.
    func sign(_ data: [UInt8]) async throws(TokenError) -> [UInt8] {
        let mechanism: TokenMechanism =
            switch cipher {
            case .tripleDES: .tripleDESCMAC
            case .aes: .aesCMAC
            case .hmac: .hmacSHA256
            }
        let result = try await session.perform(.sign, mechanism, SecretValue(SensitiveBytes(data)), with: self)
        return result.bytes.withUnsafeBytes { [UInt8]($0) }
    }

    /// The check value, 8 bytes; empty when the token does not permit what it takes.
    func checkValue() async -> [UInt8] {
        do throws(TokenError) {
            switch cipher {
            case .tripleDES:
                let value = try await encipher(SecretValue(SensitiveBytes(Self.tripleDESBlock)))
                return value.bytes.withUnsafeBytes { [UInt8]($0) }
            case .aes: return Array(try await sign([UInt8](repeating: 0, count: AES.blockLength)).prefix(8))
            case .hmac: return Array(try await sign([]).prefix(8))
            }
        } catch { return [] }
    }

    private var inBlocks: TokenMechanism { cipher == .aes ? .aesInBlocks : .tripleDESInBlocks }
}

extension HostKeys {
    /// Finds the keys of a PKCS#11 token by their labels. The keys stay there.
    ///
    /// - Throws: ``TokenError``
    static func keys(of uri: TokenURI) async throws(TokenError) -> [HostKey] {
        let (session, entries) = try await TokenSession.open(uri)
        var keys: [HostKey] = []
        for entry in entries {
            let key = TokenKey(session: session, object: entry.object, name: entry.label, cipher: entry.cipher)
            keys.append(HostKey(in: key, checkValue: await key.checkValue()))
        }
        return keys
    }
}
