import Text

/// An e-mail address such as `ada@shop.example`: the addr-spec of RFC 5322 §3.4.1 in its plain form.
///
/// The local part is a dot-atom, the domain a host name (RFC 5321 §4.1.2), both in ASCII. Quoted local parts, comments
/// and IP addresses in brackets are refused: many servers do not accept them.
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The part before the `@`, 1...64 characters.
    public let localPart: String
    /// The host name after the `@`, 1...255 characters.
    public let domain: String

    /// The address as it stands in a message: `ada@shop.example`.
    public var description: String { "\(localPart)@\(domain)" }

    /// Reads an address without a name.
    ///
    /// - Throws: ``MailAddressError``
    public init(_ text: String) throws(MailAddressError) { try self.init(Array(text.unicodeScalars)[...]) }

    // RFC 5321 §4.5.3.1 and RFC 1035 §2.3.4, in octets; every accepted character is ASCII.
    private static let localPartLimit = 64
    private static let domainLimit = 255
    private static let labelLimit = 63

    /// The indices of `scalars` are the positions in the whole text.
    fileprivate init(_ scalars: ArraySlice<Unicode.Scalar>) throws(MailAddressError) {
        guard !scalars.isEmpty else { throw MailAddressError(.nothingThere, at: scalars.startIndex + 1) }
        let sign = scalars.firstIndex(of: "@")
        let local = scalars[..<(sign ?? scalars.endIndex)]
        try Self.checkLocalPart(local)
        guard let sign else { throw MailAddressError(.noAtSign, at: scalars.endIndex + 1) }
        let host = scalars[(sign + 1)...]
        try Self.checkDomain(host)
        (localPart, domain) = (Self.text(local), Self.text(host))
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    /// A dot-atom (RFC 5322 §3.2.3).
    private static func checkLocalPart(_ scalars: ArraySlice<Unicode.Scalar>) throws(MailAddressError) {
        guard !scalars.isEmpty else { throw MailAddressError(.noLocalPart, at: scalars.startIndex + 1) }
        for (place, scalar) in zip(scalars.indices, scalars) {
            if scalar == "." {
                guard place > scalars.startIndex, scalars[place - 1] != "." else {
                    throw MailAddressError(.nothingBetweenDots, at: place + 1)
                }
            } else if !isLetterOrDigit(scalar), !"!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar) {
                throw .refusing(scalar, at: place + 1)
            }
        }
        guard scalars.last != "." else { throw MailAddressError(.nothingBetweenDots, at: scalars.endIndex) }
        guard scalars.count <= localPartLimit else {
            throw MailAddressError(.tooLong(limit: localPartLimit), at: scalars.startIndex + 1)
        }
    }

    /// Labels of letters, digits and hyphens, with dots between them (RFC 5321 §4.1.2).
    private static func checkDomain(_ scalars: ArraySlice<Unicode.Scalar>) throws(MailAddressError) {
        guard !scalars.isEmpty else { throw MailAddressError(.noDomain, at: scalars.startIndex + 1) }
        var label = 0
        for (place, scalar) in zip(scalars.indices, scalars) {
            if scalar == "." {
                guard label > 0 else { throw MailAddressError(.nothingBetweenDots, at: place + 1) }
                guard scalars[place - 1] != "-" else { throw MailAddressError(.hyphenAtEnd, at: place) }
                label = 0
            } else {
                guard isLetterOrDigit(scalar) || scalar == "-" else { throw .refusing(scalar, at: place + 1) }
                guard label > 0 || scalar != "-" else { throw MailAddressError(.hyphenAtEnd, at: place + 1) }
                label += 1
                guard label <= labelLimit else { throw MailAddressError(.tooLong(limit: labelLimit), at: place + 1) }
            }
        }
        guard scalars.last != "." else { throw MailAddressError(.nothingBetweenDots, at: scalars.endIndex) }
        guard scalars.last != "-" else { throw MailAddressError(.hyphenAtEnd, at: scalars.endIndex) }
        guard scalars.count <= domainLimit else {
            throw MailAddressError(.tooLong(limit: domainLimit), at: scalars.startIndex + 1)
        }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z": true
        default: false
        }
    }
}

/// A sender or recipient: an address, with a name or without one.
public struct Mailbox: Hashable, Sendable {
    /// The name shown to people, in any script; nil when there is none.
    public var name: String?
    public var address: MailAddress

    /// Takes a name for people to read, or nil, and a checked address.
    public init(name: String?, address: MailAddress) { (self.name, self.address) = (name, address) }

    /// Reads `ada@shop.example` or `Ada Lovelace <ada@shop.example>`. Quotation marks around the name are dropped.
    ///
    /// - Throws: ``MailAddressError``, with the position in the whole text.
    public init(_ text: String) throws(MailAddressError) {
        var scalars = Array(text.unicodeScalars)[...]
        while scalars.last == " " { scalars.removeLast() }
        guard let opening = scalars.firstIndex(where: { $0 == "<" || $0 == "@" }), scalars[opening] == "<" else {
            self.init(name: nil, address: try MailAddress(scalars.drop { $0 == " " }))
            return
        }
        guard let closing = scalars[opening...].firstIndex(of: ">") else {
            throw MailAddressError(.openBracket, at: opening + 1)
        }
        let address = try MailAddress(scalars[(opening + 1)..<closing])
        guard closing == scalars.endIndex - 1 else { throw .refusing(scalars[closing + 1], at: closing + 2) }
        self.init(name: try Self.name(scalars[..<opening]), address: address)
    }

    private static func name(_ scalars: ArraySlice<Unicode.Scalar>) throws(MailAddressError) -> String? {
        for (place, scalar) in zip(scalars.indices, scalars) where scalar.properties.generalCategory == .control {
            throw .refusing(scalar, at: place + 1)
        }
        var name = scalars.drop { $0 == " " }
        while name.last == " " { name.removeLast() }
        if name.count > 1, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        return name.isEmpty ? nil : String(String.UnicodeScalarView(name))
    }
}

/// The reason why a text is not an e-mail address, and its position. It repeats at most one character of the text,
/// because an address is personal data.
public struct MailAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule of an address that the text breaks.
    public enum Reason: Hashable, Sendable {
        case nothingThere
        /// No `@` follows the local part.
        case noAtSign
        case noLocalPart, noDomain
        /// Two dots side by side, or a dot at an end.
        case nothingBetweenDots
        case unexpected(Unicode.Scalar)
        /// The beginning of a quoted string, a comment or an IP address in brackets.
        case unsupported(Unicode.Scalar)
        /// A character that is not ASCII.
        case notASCII(Unicode.Scalar)
        case control(Unicode.Scalar)
        /// An angle bracket that is never closed.
        case openBracket
        /// A label of the host name begins or ends with a hyphen.
        case hyphenAtEnd
        /// More octets than RFC 5321 §4.5.3.1 allows for a local part or a domain, or RFC 1035 §2.3.4 for a label.
        case tooLong(limit: Int)
    }

    public let reason: Reason
    /// The position of the first wrong character, counted from 1.
    public let position: Int

    /// Takes the broken rule and the position of the first wrong character, from 1.
    public init(_ reason: Reason, at position: Int) { (self.reason, self.position) = (reason, position) }

    fileprivate static func refusing(_ scalar: Unicode.Scalar, at position: Int) -> MailAddressError {
        switch (scalar, scalar.properties.generalCategory) {
        // A character that changes the reading direction would change that of the message, too.
        case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator):
            MailAddressError(.control(scalar), at: position)
        case ("\"", _), ("(", _), ("[", _): MailAddressError(.unsupported(scalar), at: position)
        default: MailAddressError(scalar.isASCII ? .unexpected(scalar) : .notASCII(scalar), at: position)
        }
    }

    public var description: String {
        let reason =
            switch reason {
            case .nothingThere: "the address is missing"
            case .noAtSign: "'@' is missing"
            case .noLocalPart: "nothing precedes the '@'"
            case .noDomain: "the host name after the '@' is missing"
            case .nothingBetweenDots: "a dot is at an end or beside another dot"
            case .unexpected(let scalar): "'\(scalar)' is not allowed here"
            case .unsupported(let scalar):
                "'\(scalar)' is not supported: write a plain address without quotes, comments, or brackets"
            case .notASCII(let scalar): "'\(scalar)' is not ASCII: many mail servers reject such addresses"
            case .control(let scalar):
                "a control character (U+\(scalar.value.zeroPadded(to: 4, radix: 16).uppercased())) is not allowed here"
            case .openBracket: "the '<' is never closed"
            case .hyphenAtEnd: "a label of the host name begins or ends with a hyphen"
            case .tooLong(let limit): "this part has more than \(limit) characters"
            }
        return "character \(position): \(reason)"
    }

    /// How to fix the address; nil where the description says so.
    public var fix: String? {
        switch reason {
        case .notASCII: "write the host name in its ASCII form, which begins with 'xn--'"
        default: nil
        }
    }
}
