public import Cryptography

/// Why a file of test keys could not be read. Carries names and line numbers, no key.
public enum TestKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line is not a name and hexadecimal digits.
    case malformedLine(Int)
    /// The name occurs a second time.
    case repeated(name: String, line: Int)
    /// The file lacks this name.
    case missing(name: String)
    /// The value is no key of its kind.
    case unusable(name: String, CryptographyError)

    public var description: String {
        switch self {
        case .malformedLine(let line): "test keys, line \(line): write a name, a space and hexadecimal digits"
        case .repeated(let name, let line): "test keys, line \(line): \(name) is there already"
        case .missing(let name): "test keys: \(name) is missing"
        case .unusable(let name, let error): "test keys: \(name) cannot be used: \(error)"
        }
    }
}
