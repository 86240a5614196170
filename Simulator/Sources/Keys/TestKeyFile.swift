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

    /// The RSA key whose modulus and private exponent stand under `name`; the public exponent is 3.
    func rsaKey(_ name: String) throws(TestKeysError) -> RSAPrivateKey {
        let modulus = try bytes("\(name).modulus")
        let privateExponent = try secret("\(name).private-exponent")
        do throws(CryptographyError) {
            return try RSAPrivateKey(modulus: modulus, publicExponent: [3], privateExponent: privateExponent)
        } catch {
            throw .unusable(name: name, error)
        }
    }

    private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        let nibbles = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard nibbles.count == digits.count, nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
