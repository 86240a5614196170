import CardSecrets
import Cryptography
public import Determinism
public import ISO8583
import Text

/// The field of a key exchange: for each key of ``ISO8583/MessageProfile/sessionKeys``, its bytes under the master key,
/// block by block, and its check value. In fields of text, all is in hexadecimal digits.
public struct SessionKeyField: Sendable {
    private let form: MessageForm.KeyExchangeForm
    private let needs: [SessionKeyNeed]
    private let master: HostKey
    private let isBinary: Bool

    /// The bytes of a new key.
    private static let length = 16

    /// Nil when the profile exchanges no keys, or the master key is not there.
    public init?(_ profile: MessageProfile, _ keys: HostKeys) {
        guard profile.exchangesKeys(keys), let master = keys[profile.security.masterKey],
            let form = profile.messages[.keyExchange]?.keyExchange, form.form.masterCipher == master.cipher
        else { return nil }
        (self.form, self.master, needs) = (form, master, profile.sessionKeys)
        isBinary = profile.table[form.field]?.attribute == .b
    }

    /// The number of the field.
    public var number: Int { form.field }

    /// Makes new keys.
    ///
    /// - Throws: ``HostKeyError``
    public func make(_ random: any RandomSource) async throws(HostKeyError) -> (keys: [HostKey], value: [UInt8]) {
        var (keys, value): ([HostKey], [UInt8]) = ([], [])
        for need in needs {
            var bytes = random.bytes(Self.length)
            let key = try HostKey(need.name, need.cipher, SensitiveBytes(wiping: &bytes))
            keys.append(key)
            do throws(KeyUseError) {
                let sealed = try await master.encipher(key.bytes)
                value += sealed.withUnsafeBytes { [UInt8]($0) }
                value += key.checkValue.prefix(form.checkValueLength)
            } catch { throw HostKeyError(error) }
        }
        return (keys, isBinary ? value : Array(value.hexadecimal.utf8))
    }

    /// Reads the keys of an answer. They are in memory also when a token has the master key: it deciphers them.
    ///
    /// - Throws: ``SessionKeyError``
    public func read(_ answer: ISOMessage) async throws(SessionKeyError) -> [HostKey] {
        guard let raw = answer.withBytes(of: form.field, { [UInt8]($0) }) else { throw .missing(form.field) }
        guard let value = isBinary ? raw : [UInt8](hexadecimal: Self.text(raw)) else { throw .noDigits(form.field) }
        let count = value.count / needs.count
        guard value.count.isMultiple(of: needs.count), count > form.checkValueLength else {
            throw .length(form.field, value.count)
        }
        var keys: [HostKey] = []
        for (place, need) in needs.enumerated() {
            let part = value[place * count..<(place + 1) * count]
            let check = part.suffix(form.checkValueLength)
            do throws(HostKeyError) {
                let key = try HostKey(need.name, need.cipher, try await decipher(Array(part.dropLast(check.count))))
                guard key.checkValue.prefix(check.count).elementsEqual(check) else {
                    throw HostKeyError.wrongCheckValue
                }
                keys.append(key)
            } catch { throw .key(need.name, error) }
        }
        return keys
    }

    /// The digits without the blanks at the end.
    private static func text(_ raw: [UInt8]) -> String {
        String(decoding: raw.prefix((raw.lastIndex { $0 != 0x20 } ?? -1) + 1), as: UTF8.self)
    }

    private func decipher(_ key: [UInt8]) async throws(HostKeyError) -> SensitiveBytes {
        do throws(KeyUseError) { return try await master.decipher(SensitiveBytes(key)) } catch {
            throw HostKeyError(error)
        }
    }
}

extension HostKeyError {
    fileprivate init(_ error: KeyUseError) {
        switch error {
        case .cryptography(let error): self = .cryptography(error)
        case .token(let error): self = .token(error)
        }
    }
}

/// Why the answer to a key exchange brings no keys. It has no digit of a key.
public enum SessionKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field is absent.
    case missing(Int)
    /// The field has something else than hexadecimal digits.
    case noDigits(Int)
    /// The field has this number of bytes.
    case length(Int, Int)
    case key(String, HostKeyError)

    public var description: String {
        switch self {
        case .missing(let field): "field \(field) with the new keys is missing"
        case .noDigits(let field): "field \(field) has no keys in hexadecimal digits"
        case .length(let field, let count): "field \(field) has \(count) bytes, which are not the keys of the profile"
        case .key(let name, let error): "the new key '\(name)': \(error)"
        }
    }
}
