/// A firmware file: what goes into the device, and for which device it is (DFU 1.1 appendix B).
///
/// The suffix is at the end of the file, written backwards: bcdDevice, idProduct, idVendor, bcdDFU, the letters UFD, its own
/// length, and a checksum over everything before the checksum.
public struct DFUFile: Hashable, Sendable {
    /// Bytes in a suffix.
    static let suffixLength = 16
    /// The letters of the suffix as they stand in the file.
    static let signature: [UInt8] = [0x55, 0x46, 0x44]
    static let format: UInt16 = 0x0100
    /// What stands for "any" in a number of the suffix.
    static let anyNumber: UInt16 = 0xFFFF

    /// What the device gets, at least one byte.
    public let firmware: [UInt8]
    /// nil for a file for devices of any vendor; so the product and the release.
    public let vendorID: UInt16?
    public let productID: UInt16?
    /// bcdDevice that the device will have.
    public let release: UInt16?

    /// - Parameter bytes: a whole file.
    /// - Throws: ``DFUFileError``
    public init(parsing bytes: [UInt8]) throws(DFUFileError) {
        guard bytes.count > Self.suffixLength else { throw .tooShort(bytes: bytes.count) }
        let suffix = Array(bytes.suffix(Self.suffixLength))
        func word(_ index: Int) -> UInt16 { UInt16(suffix[index]) | UInt16(suffix[index + 1]) << 8 }
        guard Array(suffix[8..<11]) == Self.signature else {
            throw .noSuffix(
                found: suffix[8..<11].map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined())
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

    public init(firmware: [UInt8], vendorID: UInt16?, productID: UInt16?, release: UInt16?) {
        (self.firmware, self.vendorID, self.productID, self.release) = (firmware, vendorID, productID, release)
    }

    /// The file as it is stored.
    public var encoded: [UInt8] {
        func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
        let body =
            firmware + [release, productID, vendorID].flatMap { bytes($0 ?? Self.anyNumber) } + bytes(Self.format)
            + Self.signature + [UInt8(Self.suffixLength)]
        let checksum = DFUChecksum.of(body)
        return body + bytes(UInt16(checksum & 0xFFFF)) + bytes(UInt16(checksum >> 16))
    }

    /// Whether it is for devices with these numbers.
    public func isFor(vendorID: UInt16, productID: UInt16) -> Bool {
        (self.vendorID ?? vendorID) == vendorID && (self.productID ?? productID) == productID
    }

    private static func number(_ word: UInt16) -> UInt16? { word == anyNumber ? nil : word }
}
