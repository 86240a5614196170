/// An address for mail: what RFC 5322 §3.4.1 calls an addr-spec, in ASCII.
///
/// The local part is a dot-atom or a quoted string. The domain is a host's name as mail is sent to one (RFC 5321
/// §4.1.2), or an address in brackets. Comments, folding and the obsolete forms are refused, and so is whatever is not
/// ASCII: many servers cannot take such an address (RFC 6531), and a receipt should arrive.
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    /// What stands before the `@`, as it was written, quotes included.
    public let localPart: String
    /// What stands behind it.
    public let domain: String

    /// As it stands in a message: `ada@shop.example`.
    public var description: String { "\(localPart)@\(domain)" }

    /// Reads an address.
    ///
    /// - Throws: ``MailAddressError``
    public init(_ text: String) throws(MailAddressError) {
        var reader = MailAddressReader(text)
        self = try reader.wholeAddress()
    }

    init(localPart: String, domain: String) { (self.localPart, self.domain) = (localPart, domain) }
}
