/// An issuer public key certificate that a payment system has revoked (EMV Book 2 §5.1.2).
public struct CertificateRevocation: Hashable, Sendable {
    /// 5 bytes.
    public var rid: [UInt8]
    /// The index of the certification authority's key.
    public var index: UInt8
    /// The certificate's serial number, 3 bytes.
    public var serialNumber: [UInt8]

    public init(rid: [UInt8], index: UInt8, serialNumber: [UInt8]) {
        (self.rid, self.index, self.serialNumber) = (rid, index, serialNumber)
    }
}
