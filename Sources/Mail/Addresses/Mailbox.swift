/// Somebody who gets or sends mail: an address, with a name or without one (RFC 5322 §3.4).
public struct Mailbox: Hashable, Sendable {
    /// For people, in any script; nil when there is none.
    public var name: String?
    public var address: MailAddress

    public init(name: String?, address: MailAddress) { (self.name, self.address) = (name, address) }

    /// Reads `ada@shop.example`, `Ada <ada@shop.example>` or `"Lovelace, Ada" <ada@shop.example>`.
    ///
    /// - Throws: ``MailAddressError``, with the place in the whole text.
    public init(_ text: String) throws(MailAddressError) {
        var reader = MailAddressReader(text)
        self = try reader.wholeMailbox()
    }
}
