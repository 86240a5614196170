internal import CardSecrets
internal import Cryptography

/// A file of keys: one value a line, a name and hexadecimal digits; lines that begin with # are remarks.
struct TestKeyFile {
    private var values: [String: [UInt8]] = [:]

    init(_ text: [UInt8]) throws(TestKeysError) {
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: UInt8(ascii: " "))
            guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
            let name = String(decoding: first, as: UTF8.self)
            guard words.count == 2, let value = Self.bytes(words[1]) else { throw .malformedLine(index + 1) }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .repeated(name: name, line: index + 1)
            }
        }
    }

    func bytes(_ name: String) throws(TestKeysError) -> [UInt8] {
        guard let value = values[name] else { throw .missing(name: name) }
        return value
    }

    func secret(_ name: String) throws(TestKeysError) -> SensitiveBytes {
        SensitiveBytes(try bytes(name))
    }

    /// The RSA key whose primes stand under its name; nil when they do not.
    func rsaKey(_ name: TestRSAKey) throws(TestKeysError) -> RSAPrivateKey? {
        guard let first = values["\(name).first-prime"], let second = values["\(name).second-prime"] else { return nil }
        do throws(CryptographyError) {
            return try RSAPrivateKey(
                firstPrime: SensitiveBytes(first), secondPrime: SensitiveBytes(second),
                publicExponent: name.exponent.bytes)
        } catch {
            throw .unusable(name: name.description, error)
        }
    }

    private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let nibble = nibble(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        return bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
