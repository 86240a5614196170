/// What a simulated device takes for firmware, and nothing else: letters to know it by, a release number, a length, so many
/// bytes, and a checksum over all before it.
public struct SimulatedFirmwareImage: Hashable, Sendable {
    private static let letters = Array("CPRESENT".utf8)
    private static let headLength = 14

    /// bcdDevice of the device that runs it.
    public let release: UInt16
    /// Bytes between head and checksum.
    public let size: Int

    public init(release: UInt16, size: Int = 20_000) { (self.release, self.size) = (release, max(0, size)) }

    /// - Returns: nil for bytes that no device of the simulator could run.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headLength + 4, bytes.starts(with: Self.letters) else { return nil }
        let release = UInt16(bytes[8]) | UInt16(bytes[9]) << 8
        let size = bytes[10..<14].enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        guard bytes.count == Self.headLength + size + 4 else { return nil }
        let image = SimulatedFirmwareImage(release: release, size: size)
        guard image.bytes.suffix(4) == bytes.suffix(4),
            Self.checksum(bytes.dropLast(4)) == Self.checksum(image.bytes.dropLast(4))
        else { return nil }
        self = image
    }

    /// The image, the same for the same numbers.
    public var bytes: [UInt8] {
        var bytes = Self.letters + [UInt8(release & 0xFF), UInt8(release >> 8)]
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
        var number = UInt32(release)
        for _ in 0..<size {
            // Numerical Recipes' generator: any bytes do.
            number = number &* 1_664_525 &+ 1_013_904_223
            bytes.append(UInt8(number >> 24))
        }
        let checksum = Self.checksum(bytes)
        for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        return bytes
    }

    /// Fowler-Noll-Vo 1a, 32 bits.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}
