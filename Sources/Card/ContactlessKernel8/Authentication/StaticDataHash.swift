public import CardSecrets
public import Cryptography
public import SmartCard

/// The hash of the card's static data, which the card's certificate and the IAD-MAC contain (EMV Book E; Book C-8): the
/// signed records, the objects of the extended SDA tag list, and the application interchange profile.
///
/// Contact cards hash other data in another order.
public enum StaticDataHash {
    /// Reads an extended SDA tag list (tag 9F810A).
    ///
    /// - Throws: ``SmartCard/BERTLVError`` with the offset in the list.
    public static func tags(in list: [UInt8]) throws(BERTLVError) -> [BERTag] {
        var reader = BERTLVReader(0..<list.count)
        var tags: [BERTag] = []
        while reader.position < list.count { tags.append(try reader.nextTag(in: list.span)) }
        return tags
    }

    /// Computes the hash.
    ///
    /// - Parameters:
    ///   - records: the contents of the signed records in the order of the AFL (the first records of each of its
    ///     entries, as its fourth byte says), one after the other, each without its template 70 or DA and the length,
    ///     whatever its SFI.
    ///   - extendedTags: the tags of the extended SDA tag list.
    ///   - interchangeProfile: tag 82, 2 bytes.
    ///   - value: returns the value of a tag; nil, which counts as empty, if there is none.
    /// - Returns: 32 bytes.
    /// - Throws: a failure of libcrypto.
    public static func compute(
        records: borrowing SensitiveBytes, extendedTags: [BERTag] = [], interchangeProfile: [UInt8],
        value: (BERTag) -> [UInt8]? = { _ in nil }
    ) throws(CryptographyError) -> [UInt8] {
        var rest: [UInt8] = []
        defer { rest.wipe() }
        for tag in extendedTags { rest += BERTLV.encode(tag, value(tag) ?? []) }
        rest += interchangeProfile
        return try SHA256.hash(SensitiveBytes(joining: records, SensitiveBytes(rest)))
    }
}
