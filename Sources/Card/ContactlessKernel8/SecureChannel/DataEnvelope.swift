import CardSecrets
public import SmartCard

/// A data envelope: one of ten places of the card for data of a payment system or a merchant (tags 9F8111 to 9F811A),
/// read with READ DATA and written with WRITE DATA.
public struct DataEnvelope: Hashable, Sendable {
    /// The length of the longest value, in bytes.
    public static let longest = 243

    /// 9F8111...9F811A
    public let tag: BERTag
    /// 0...243 bytes.
    public let value: [UInt8]

    /// - Throws: ``SecureChannelError/noEnvelopeTag(_:)``, ``SecureChannelError/envelopeTooLong(_:_:)``
    public init(_ tag: BERTag, _ value: [UInt8]) throws(SecureChannelError) {
        guard Self.tags.contains(tag) else { throw .noEnvelopeTag(tag) }
        guard value.count <= Self.longest else { throw .envelopeTooLong(tag, value.count) }
        (self.tag, self.value) = (tag, value)
    }

    /// The tags of the ten envelopes.
    public static let tags: ClosedRange<BERTag> = 0x9F_8111...0x9F_811A

    /// Tag, length, and value, at most 248 bytes.
    public var encoded: [UInt8] { BERTLV.encode(tag, value) }

    /// Returns the value of the one data object in `plain`, which must have `tag`.
    static func value(
        of plain: borrowing SensitiveBytes, tag: BERTag
    ) throws(SecureChannelError) -> SensitiveBytes {
        guard tags.contains(tag) else { throw .noEnvelopeTag(tag) }
        var bytes = plain.copied()
        defer { bytes.wipe() }
        var reader = BERTLVReader(0..<bytes.count)
        let found: BERTLVReader.Object?
        let hasMore: Bool
        do throws(BERTLVError) {
            found = try reader.next(in: bytes.span)
            hasMore = try reader.next(in: bytes.span) != nil
        } catch {
            throw .notTheEnvelope(tag, offset: error.offset)
        }
        guard let object = found, object.tag == tag else { throw .notTheEnvelope(tag, offset: found?.start ?? 0) }
        guard !hasMore else { throw .notTheEnvelope(tag, offset: object.value.upperBound) }
        guard object.value.count <= longest else { throw .envelopeTooLong(tag, object.value.count) }
        return SensitiveBytes(bytes[object.value])
    }
}
