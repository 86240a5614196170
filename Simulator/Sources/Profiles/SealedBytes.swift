public import CardSecrets

/// Secret bytes that several owners share: a `SensitiveBytes` behind a reference. Prints as a mask.
public final class SealedBytes: Sendable, CustomStringConvertible, CustomReflectable {
    public let bytes: SensitiveBytes

    /// Copies `bytes`. The caller's copy is the caller's to wipe.
    public init(_ bytes: some Collection<UInt8>) { self.bytes = SensitiveBytes(bytes) }

    /// A copy in the open, for as long as the caller needs it.
    func copy() -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }

    public var description: String { "SealedBytes(masked)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
