/// A PIN block under a key of the acquirer (ISO 9564-1), with what names the key.
///
/// It has no textual form: a PIN block is as secret as the PIN for whoever has the key.
public struct EncipheredPINBlock: Hashable, Sendable, CustomStringConvertible {
    /// Eight bytes under TDES (format 0), sixteen under AES (format 4).
    public let block: [UInt8]
    /// The key serial number of DUKPT: 10 bytes for TDES, 12 for AES.
    public let keySerialNumber: [UInt8]

    public init(block: [UInt8], keySerialNumber: [UInt8]) {
        (self.block, self.keySerialNumber) = (block, keySerialNumber)
    }

    public var description: String { "EncipheredPINBlock(masked)" }
}
