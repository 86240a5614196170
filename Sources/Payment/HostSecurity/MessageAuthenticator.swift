internal import CardSecrets
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
    public func seal(_ message: inout EncodedMessage, with key: HostKey) throws(MACFailure) {
        let mac: [UInt8]
        do throws(CryptographyError) {
            mac = try code(message.covered, key: key, fieldLength: message.macLength ?? 0)
        } catch { throw .cryptography(error) }
        do throws(MessageError) { try message.seal(with: mac) } catch { throw .message(error) }
    }

    /// Checks the MAC of a message, in a time that does not depend on where it differs. `body` has the bytes of the
    /// message, with their header.
    public func check(_ message: DecodedMessage, in body: [UInt8], with key: HostKey) -> Finding {
        // What stands behind the MAC is not covered by it.
        guard let coverage = message.macCoverage, let field = message.macField, coverage.upperBound <= body.count,
            message.message.fields.first(where: { $0 > field }) == nil,
            let found = message.message.withBytes(of: field, { SecretValue(SensitiveBytes($0)) })
        else { return .missing }
        var covered = Array(body[coverage])
        defer { covered.wipe() }
        let count = found.bytes.count
        guard count >= rule.bytes, let expected = try? code(covered, key: key, fieldLength: count) else {
            return .wrong
        }
        return found.bytes.isEqual(to: SensitiveBytes(expected)) ? .right : .wrong
    }

    /// Returns the value of the field: the leftmost bytes of the MAC, and zeros up to the length of the field.
    ///
    /// - Throws: `CryptographyError`
    public func code(_ covered: [UInt8], key: HostKey, fieldLength: Int) throws(CryptographyError) -> [UInt8] {
        let padding: MACPadding = rule.padding == 2 ? .markerAndZeros : .zeros
        let whole: [UInt8] =
            switch (rule.algorithm, key.cipher) {
            case (.iso9797Algorithm1, _): try ChainedMAC.mac(covered, key: key.bytes, padding: padding)
            case (.iso9797Algorithm3, _): try RetailMAC.mac(covered, key: key.bytes, padding: padding)
            case (.cmac, .aes): try AESCMAC.mac(covered, key: key.bytes)
            case (.cmac, _): try TripleDESCMAC.mac(covered, key: key.bytes)
            case (.hmacSHA256, _): try HMAC.code(covered, key: key.bytes)
            }
        let sent = whole.prefix(rule.bytes)
        return sent + [UInt8](repeating: 0, count: max(0, fieldLength - sent.count))
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
    /// The field of the MAC has another length.
    case message(MessageError)

    public var description: String {
        switch self {
        case .cryptography(let error): error.description
        case .message(let error): error.description
        }
    }
}
