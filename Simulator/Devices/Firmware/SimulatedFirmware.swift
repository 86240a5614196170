import Determinism

/// A firmware image that simulated devices accept: magic letters, a release number, a length, that many bytes, and a
/// checksum over everything before it.
public struct SimulatedFirmwareImage: Hashable, Sendable {
    private static let letters = Array("CPRESENT".utf8)
    private static let headLength = 14

    /// The bcdDevice that a device running this image reports.
    public let release: UInt16
    /// The number of bytes between header and checksum.
    public let size: Int

    /// Makes an image that reports this bcdDevice, with `size` bytes of content; fewer than none are none.
    public init(release: UInt16, size: Int = 20_000) { (self.release, self.size) = (release, max(0, size)) }

    /// - Returns: nil if the bytes are not a valid image.
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

    /// The encoded image. The same release and size give the same bytes.
    public var bytes: [UInt8] {
        var bytes = Self.letters + [UInt8(release & 0xFF), UInt8(release >> 8)]
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
        var number = UInt32(release)
        for _ in 0..<size {
            // The linear congruential generator of Numerical Recipes; any filler does.
            number = number &* 1_664_525 &+ 1_013_904_223
            bytes.append(UInt8(number >> 24))
        }
        let checksum = Self.checksum(bytes)
        for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        return bytes
    }

    /// Computes the 32-bit FNV-1a checksum.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

/// How a simulated device accepts firmware (DFU 1.1).
public struct SimulatedFirmwareOptions: Hashable, Sendable {
    /// The idProduct in update mode.
    public var updateProductID: UInt16
    /// The bcdDevice of the firmware installed at first.
    public var release: UInt16 = 0x0100
    /// wTransferSize
    public var transferSize = 1024
    /// wDetachTimeOut
    public var detachTimeout = Duration.milliseconds(1000)
    /// bitWillDetach: the device leaves the bus by itself on DFU_DETACH; otherwise it waits for a bus reset.
    public var detachesItself = true
    /// bitManifestationTolerant: the device still answers after it installed the firmware.
    public var survivesManifestation = false
    /// Whether the old firmware stays until the new one is complete and verified.
    public var keepsOldFirmware = false
    /// The time before the first block is written.
    public var eraseTime = Duration.milliseconds(400)
    /// The time to write one block.
    public var blockTime = Duration.milliseconds(20)
    /// The time to install the firmware after the last block.
    public var manifestationTime = Duration.milliseconds(500)
    /// How long the device is off the bus when it changes its mode.
    public var restartTime = Duration.milliseconds(700)

    /// Accepts firmware under this product ID, which the device has in update mode.
    public init(updateProductID: UInt16) { self.updateProductID = updateProductID }
}

/// A fault that happens once during a firmware update of a simulated device.
public enum SimulatedFirmwareFault: Hashable, Sendable {
    /// The device rejects the first block: the image is for another device.
    case refused
    /// Verification fails at the end.
    case verificationFailed
    /// The device is unplugged at this percentage of the download, 0...100; it must be plugged in again.
    case unplugged(percent: Int)
    /// The device stalls the block with this number, counted from 0.
    case stalled(block: Int)
    /// The device stays busy forever with the block with this number.
    case busyForever(block: Int)
    /// The device ignores the request to enter update mode.
    case doesNotDetach
    /// The device does not come back after the update.
    case doesNotReturn
    /// The device leaves the bus to install the firmware without waiting for a reset.
    case restartsByItself
}
