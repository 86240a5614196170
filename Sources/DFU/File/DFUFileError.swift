/// Why a file is no firmware file.
public enum DFUFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file has a suffix of 16 bytes and something before it.
    case tooShort(bytes: Int)
    /// The suffix does not have the letters UFD; the text is what stands there, in hexadecimal digits.
    case noSuffix(found: String)
    /// The suffix is to be shorter than 16 bytes, or longer than the file.
    case suffixLength(UInt8)
    /// The format is another one than that of DFU 1.0 and 1.1; bcdDFU of the suffix.
    case format(UInt16)
    /// The file was damaged on its way.
    case checksum(stated: UInt32, actual: UInt32)

    public var description: String {
        switch self {
        case .tooShort(let bytes): "\(bytes) bytes are no firmware file: it has 17 or more"
        case .noSuffix(let found): "no DFU suffix: its last bytes have \(found) where 554644 (UFD) is expected"
        case .suffixLength(let length): "a DFU suffix of \(length) bytes: it has 16 or more, and the file more than it"
        case .format(let version): "a DFU file of format \(String(version, radix: 16)): only 100 is known"
        case .checksum(let stated, let actual):
            "the file is damaged: its checksum is \(String(actual, radix: 16)), and \(String(stated, radix: 16)) is stated"
        }
    }
}
