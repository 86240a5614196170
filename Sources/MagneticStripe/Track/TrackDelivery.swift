public import CardSecrets

/// The bytes of a track as a reader delivers them.
public struct TrackDelivery: ~Copyable, Sendable {
    public let bytes: SensitiveBytes
    public let encoding: TrackEncoding

    public init(_ bytes: consuming SensitiveBytes, _ encoding: TrackEncoding = .ascii) {
        self.bytes = bytes
        self.encoding = encoding
    }
}
