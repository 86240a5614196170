import CardSecrets
public import Cryptography
public import ISO8583

/// Makes and checks the MACs of messages as a profile says (`security.mac`): in the last field, 64 or 128, over
/// everything from the message type to the byte before it.
public struct MessageAuthenticator: Sendable {
    public let rule: SecurityRules.MACRule

    public init(_ rule: SecurityRules.MACRule) { self.rule = rule }

    /// What the check of a message found.
    public enum Finding: Hashable, Sendable {
        case right
        case wrong
        case missing
    }

    /// Puts the MAC into a message that was encoded with one.
    ///
    /// - Throws: ``MACFailure``
    public func seal(_ message: inout EncodedMessage, with key: HostKey) async throws(MACFailure) {
        let mac = try await code(message.covered, key: key, fieldLength: message.macLength ?? 0)
        do throws(MessageError) { try message.seal(with: mac) } catch { throw .message(error) }
    }

    /// Checks the MAC of a message, in a time that does not depend on where it differs. `body` has the bytes of the
    /// message, with their header.
    public func check(_ message: DecodedMessage, in body: [UInt8], with key: HostKey) async -> Finding {
        // What stands behind the MAC is not covered by it.
        guard let coverage = message.macCoverage, let field = message.macField, coverage.upperBound <= body.count,
            message.message.fields.first(where: { $0 > field }) == nil,
            let found = message.message.withBytes(of: field, { SecretValue(SensitiveBytes($0)) })
        else { return .missing }
        var covered = Array(body[coverage])
        defer { covered.wipe() }
        let count = found.bytes.count
        guard count >= rule.bytes, let expected = try? await code(covered, key: key, fieldLength: count) else {
            return .wrong
        }
        return found.bytes.isEqual(to: SensitiveBytes(expected)) ? .right : .wrong
    }

    /// Returns the value of the field: the leftmost bytes of the MAC, and zeros up to the length of the field.
    ///
    /// - Throws: ``MACFailure``
    public func code(_ covered: [UInt8], key: HostKey, fieldLength: Int) async throws(MACFailure) -> [UInt8] {
        let whole: [UInt8]
        if let token = key.token {
            do throws(TokenError) { whole = try await code(covered, token) } catch { throw .token(error) }
        } else {
            do throws(CryptographyError) { whole = try code(covered, key) } catch { throw .cryptography(error) }
        }
        let sent = whole.prefix(rule.bytes)
        return sent + [UInt8](repeating: 0, count: max(0, fieldLength - sent.count))
    }

    private var padding: MACPadding { rule.padding == 2 ? .markerAndZeros : .zeros }

    /// The whole MAC under a key in memory.
    private func code(_ covered: [UInt8], _ key: HostKey) throws(CryptographyError) -> [UInt8] {
        switch (rule.algorithm, key.cipher) {
        case (.iso9797Algorithm1, _): try ChainedMAC.mac(covered, key: key.bytes, padding: padding)
        case (.iso9797Algorithm3, _): try RetailMAC.mac(covered, key: key.bytes, padding: padding)
        case (.cmac, .aes): try AESCMAC.mac(covered, key: key.bytes)
        case (.cmac, _): try TripleDESCMAC.mac(covered, key: key.bytes)
        case (.hmacSHA256, _): try HMAC.code(covered, key: key.bytes)
        }
    }

    /// The whole MAC, made by the token of the key.
    private func code(_ covered: [UInt8], _ key: TokenKey) async throws(TokenError) -> [UInt8] {
        switch rule.algorithm {
        case .iso9797Algorithm1:
            let blocks = padding.padded(covered, blockLength: TripleDES.blockLength)
            return Array(try await key.chain(blocks).suffix(TripleDES.blockLength))
        case .iso9797Algorithm3:
            // It takes single DES with the halves of the key, which no token gives out or uses alone.
            throw .mechanism("ISO/IEC 9797-1 algorithm 3", key: key.name, token: key.session.token)
        case .cmac, .hmacSHA256: return try await key.sign(covered)
        }
    }

    /// Whether a key fits the algorithm.
    func accepts(_ key: HostKey) -> Bool {
        switch rule.algorithm {
        case .iso9797Algorithm1: key.cipher == .tripleDES
        case .iso9797Algorithm3: key.cipher == .tripleDES && key.bytes.count == 16
        case .cmac: key.cipher != .hmac
        case .hmacSHA256: key.cipher == .hmac
        }
    }
}

/// Why a message has no MAC.
public enum MACFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case cryptography(CryptographyError)
    /// The token of the key did not make it.
    case token(TokenError)
    /// The field of the MAC has another length.
    case message(MessageError)

    public var description: String {
        switch self {
        case .cryptography(let error): error.description
        case .token(let error): error.description
        case .message(let error): error.description
        }
    }
}
