import Text

/// A firmware file: the firmware and the devices that it is for (DFU 1.1 appendix B).
///
/// The suffix is at the end of the file, written backwards: bcdDevice, idProduct, idVendor, bcdDFU, the letters UFD,
/// its own length, and a checksum over everything before the checksum.
public struct DFUFile: Hashable, Sendable {
    /// Bytes in a suffix.
    static let suffixLength = 16
    /// The letters of the suffix as they stand in the file.
    static let signature: [UInt8] = [0x55, 0x46, 0x44]
    static let format: UInt16 = 0x0100
    /// The value for "any" in a number of the suffix.
    static let anyNumber: UInt16 = 0xFFFF

    /// The bytes for the device, at least one.
    public let firmware: [UInt8]
    /// nil for any vendor; likewise the product and the release.
    public let vendorID: UInt16?
    public let productID: UInt16?
    /// bcdDevice of the device after the update.
    public let release: UInt16?

    /// Reads a firmware file.
    ///
    /// - Parameter bytes: the whole file.
    /// - Throws: ``DFUFileError``
    public init(parsing bytes: [UInt8]) throws(DFUFileError) {
        guard bytes.count > Self.suffixLength else { throw .tooShort(bytes: bytes.count) }
        let suffix = Array(bytes.suffix(Self.suffixLength))
        func word(_ index: Int) -> UInt16 { UInt16(suffix[index]) | UInt16(suffix[index + 1]) << 8 }
        guard Array(suffix[8..<11]) == Self.signature else {
            throw .noSuffix(
                found: suffix[8..<11].hexadecimal)
        }
        let length = Int(suffix[11])
        guard length >= Self.suffixLength, length < bytes.count else { throw .suffixLength(suffix[11]) }
        guard word(6) == Self.format else { throw .format(word(6)) }
        let stated = UInt32(word(12)) | UInt32(word(14)) << 16
        let actual = DFUChecksum.of(bytes.dropLast(4))
        guard stated == actual else { throw .checksum(stated: stated, actual: actual) }
        self.init(
            firmware: Array(bytes.dropLast(length)), vendorID: Self.number(word(4)), productID: Self.number(word(2)),
            release: Self.number(word(0)))
    }

    /// Takes the firmware without its suffix; nil is any vendor, product, or release (FFFF).
    public init(firmware: [UInt8], vendorID: UInt16?, productID: UInt16?, release: UInt16?) {
        (self.firmware, self.vendorID, self.productID, self.release) = (firmware, vendorID, productID, release)
    }

    /// The encoded file.
    public var encoded: [UInt8] {
        func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
        let body =
            firmware + [release, productID, vendorID].flatMap { bytes($0 ?? Self.anyNumber) } + bytes(Self.format)
            + Self.signature + [UInt8(Self.suffixLength)]
        let checksum = DFUChecksum.of(body)
        return body + bytes(UInt16(checksum & 0xFFFF)) + bytes(UInt16(checksum >> 16))
    }

    /// Returns whether the file is for devices with these numbers.
    public func isFor(vendorID: UInt16, productID: UInt16) -> Bool {
        (self.vendorID ?? vendorID) == vendorID && (self.productID ?? productID) == productID
    }

    private static func number(_ word: UInt16) -> UInt16? { word == anyNumber ? nil : word }
}

/// The checksum at the end of a firmware file (DFU 1.1 appendix B): the CRC of Ethernet (polynomial 04C11DB7,
/// reflected), initialized with ones and, unlike there, not inverted at the end.
enum DFUChecksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0xFFFF_FFFF) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }
}

/// The reason why a file is not a firmware file.
public enum DFUFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is shorter than a suffix of 16 bytes and one byte of firmware.
    case tooShort(bytes: Int)
    /// The suffix does not have the letters UFD; the text has the bytes found, in hexadecimal digits.
    case noSuffix(found: String)
    /// The suffix claims to be shorter than 16 bytes, or longer than the file.
    case suffixLength(UInt8)
    /// The format is not that of DFU 1.0 and 1.1; the value is bcdDFU of the suffix.
    case format(UInt16)
    /// The file is damaged.
    case checksum(stated: UInt32, actual: UInt32)

    public var description: String {
        switch self {
        case .tooShort(let bytes): "a firmware file has at least 17 bytes: this one has \(bytes)"
        case .noSuffix(let found): "no DFU suffix at the end of the file: found \(found), expected 554644 (UFD)"
        case .suffixLength(let length):
            "invalid DFU suffix length \(length): it must be at least 16 and less than the file"
        case .format(let version): "DFU file format \(String(version, radix: 16)) is not supported: only 100 is"
        case .checksum(let stated, let actual):
            "the file is damaged: its checksum is \(String(actual, radix: 16)), expected \(String(stated, radix: 16))"
        }
    }
}
