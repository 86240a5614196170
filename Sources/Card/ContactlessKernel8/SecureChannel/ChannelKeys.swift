import CardSecrets
import Cryptography

/// The session keys of one application activation, and what both sides compute with them (EMV Book E chapters 7 and 8).
/// They are overwritten when they are released.
struct ChannelKeys: ~Copyable, Sendable {
    /// The length of every MAC that is transmitted, in bytes.
    static let macLength = 8

    /// SKc.
    private let confidentiality: SensitiveBytes
    /// SKi.
    private let integrity: SensitiveBytes

    /// Derives the keys from x of the common point, 32 bytes: a key from AES-CMAC under a key of zeros, and with it one
    /// block for each session key. A third key, with the number 3, has no known use.
    static func derive(from sharedX: borrowing SensitiveBytes) throws(SecureChannelError) -> ChannelKeys {
        do throws(CryptographyError) { return try ChannelKeys(sharedX) } catch { throw .cryptography(error) }
    }

    private init(_ sharedX: borrowing SensitiveBytes) throws(CryptographyError) {
        var secret = sharedX.copied()
        defer { secret.wipe() }
        let zero = SensitiveBytes([UInt8](repeating: 0, count: AES.blockLength))
        var derived = try AESCMAC.mac(secret, key: zero)
        let derivation = SensitiveBytes(wiping: &derived)
        let first = SensitiveBytes([0x01] + Self.label)
        let second = SensitiveBytes([0x02] + Self.label)
        let confidentiality = try AES.encrypt(first, key: derivation)
        let integrity = try AES.encrypt(second, key: derivation)
        self.init(confidentiality: confidentiality, integrity: integrity)
    }

    /// Takes session keys of 16 bytes, for tests of single steps.
    init(confidentiality: consuming SensitiveBytes, integrity: consuming SensitiveBytes) {
        self.confidentiality = confidentiality
        self.integrity = integrity
    }

    /// What follows the number of a key in its derivation block, up to the length of the key in bits.
    private static let label: [UInt8] = [
        0x01, 0x00, 0x54, 0x33, 0x4A, 0x32, 0x59, 0x57, 0x77, 0x3D, 0xA5, 0xA5, 0xA5, 0x01, 0x80,
    ]

    /// Enciphers or deciphers a message: counter mode from the message counter and 14 bytes 00 on.
    borrowing func cipher(
        _ message: borrowing SensitiveBytes, counter: UInt16
    ) throws(SecureChannelError) -> SensitiveBytes {
        let block = counter.bytes + [UInt8](repeating: 0, count: AES.blockLength - 2)
        do throws(CryptographyError) {
            return try AESCTR.apply(message, key: confidentiality, counter: block)
        } catch {
            throw .cryptography(error)
        }
    }

    /// Returns the first 8 bytes of the CMAC of the counter and a message.
    borrowing func mac(_ message: [UInt8], counter: UInt16) throws(SecureChannelError) -> [UInt8] {
        var input = counter.bytes + message
        defer { input.wipe() }
        do throws(CryptographyError) {
            return Array(try AESCMAC.mac(input, key: integrity).prefix(Self.macLength))
        } catch {
            throw .cryptography(error)
        }
    }

    /// Returns the first 8 bytes of CMAC+ of two bytes 00 and a message.
    borrowing func macPlus(_ message: [UInt8]) throws(SecureChannelError) -> [UInt8] {
        Array(try wholeMACPlus([0x00, 0x00] + message).prefix(Self.macLength))
    }

    /// Returns CMAC+ of a message, 16 bytes: the exclusive or of the CMAC and of the block that deciphering the CMAC
    /// gives (EMV Book E §8.6.5).
    borrowing func wholeMACPlus(_ message: [UInt8]) throws(SecureChannelError) -> [UInt8] {
        do throws(CryptographyError) {
            let code = try AESCMAC.mac(message, key: integrity)
            let deciphered = try AES.decrypt(code, key: integrity)
            return zip(code, deciphered).map { $0 ^ $1 }
        } catch {
            throw .cryptography(error)
        }
    }
}

/// A message counter of the secure channel: one number for each message, never the same one twice.
struct MessageCounter: Hashable, Sendable {
    /// The number of the next message.
    private(set) var value: UInt16
    /// The first number that is not used.
    private let limit: UInt16

    /// The counter of messages of the card: from 8000 on. FFFF is not used.
    static let card = MessageCounter(value: 0x8000, limit: 0xFFFF)
    /// The counter of messages of the kernel: from 0000 on. From 8000 on, its numbers would be those of the card, and
    /// two messages would be enciphered with the same key stream; so it ends before, which is a rule of ours.
    static let kernel = MessageCounter(value: 0x0000, limit: 0x8000)

    init(value: UInt16, limit: UInt16) { (self.value, self.limit) = (value, limit) }

    /// Returns the number of a message and counts it; nil when there are no more numbers.
    mutating func take() -> UInt16? {
        guard value < limit else { return nil }
        defer { value += 1 }
        return value
    }
}

extension UInt16 {
    /// Big-endian.
    var bytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}

extension [UInt8] {
    /// Compares in a time that depends only on the lengths.
    func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for (first, second) in zip(self, other) { difference |= first ^ second }
        return difference == 0
    }
}

extension SensitiveBytes {
    /// Returns a copy. Wipe it after use, unless it is ciphertext.
    borrowing func copied() -> [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
