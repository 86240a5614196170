internal import Cryptography
internal import Determinism
internal import EMV
internal import Hardware
internal import SettingsFile

/// A payment system's public key as it is shown.
struct CAPublicKeyView: Encodable, Sendable {
    var rid: String
    /// The payment system's name; null when the RID is not known.
    @Nullable var scheme: String?
    var index: String
    var bits: Int
    var exponent: String
    /// SHA-1 over RID, index, modulus and exponent: as stated, and as it comes out.
    var checksum: String
    var checksumOk: Bool
    /// The last day on which certificates under the key are taken; null when none is set.
    @Nullable var expires: String?
    var expired: Bool
    /// `file:line`
    var source: String

    init(_ entry: CAPublicKeyStore.Entry, today: CivilDate) {
        let key = entry.key
        (rid, index) = (key.rid.hexadecimal, [key.index].hexadecimal)
        _scheme = Nullable(wrappedValue: CardBrand(aid: key.rid)?.displayName)
        (bits, exponent) = (key.key.modulus.count * 8, key.key.exponent.hexadecimal)
        // A key that does not fit its checksum is not read.
        (checksum, checksumOk) = (key.checksum.hexadecimal, true)
        _expires = Nullable(wrappedValue: key.expiry.map(Self.text))
        expired = key.expiry.map { ($0.year, $0.month, $0.day) < (today.year, today.month, today.day) } ?? false
        source = entry.location.description
    }

    private static func text(_ date: CivilDate) -> String {
        func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(pad(date.month))-\(pad(date.day))"
    }

    static func table(_ keys: [CAPublicKeyView]) -> String {
        guard !keys.isEmpty else { return "" }
        let head = ["RID", "SCHEME", "INDEX", "BITS", "EXPONENT", "CHECKSUM", "EXPIRES", "FROM"]
        let rows = keys.map { key in
            [
                key.rid, key.scheme ?? "unknown", key.index, "\(key.bits)", key.exponent,
                String(key.checksum.prefix(8)) + " ok", (key.expires ?? "never") + (key.expired ? " EXPIRED" : ""),
                key.source,
            ]
        }
        let table = [head] + rows
        let widths = head.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { row in
            zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ").trimmedEnd + "\n"
        }.joined()
    }
}

extension String {
    /// Without blanks at the end.
    fileprivate var trimmedEnd: String { String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)]) }
}
