/// Reads addresses from left to right.
struct MailAddressReader {
    private let scalars: [Unicode.Scalar]
    private var place = 0

    // RFC 5321 §4.5.3.1 and RFC 1035 §2.3.4, in octets; all that is taken is ASCII.
    private static let localPartLimit = 64
    private static let domainLimit = 255
    private static let labelLimit = 63

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// An address, and nothing else.
    mutating func wholeAddress() throws(MailAddressError) -> MailAddress {
        let address = try address()
        if let next { throw refusal(of: next) }
        return address
    }

    /// An address, or one in angle brackets with a name in front of it.
    mutating func wholeMailbox() throws(MailAddressError) -> Mailbox {
        skipBlanks()
        guard let bracket = openingBracket() else {
            let address = try address()
            try expectEnd()
            return Mailbox(name: nil, address: address)
        }
        let name = try name(until: bracket)
        place = bracket + 1
        let address = try address()
        guard next == ">" else { throw next.map(refusal) ?? MailAddressError(.openBracket, at: bracket + 1) }
        place += 1
        try expectEnd()
        return Mailbox(name: name, address: address)
    }

    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private func error(_ reason: MailAddressError.Reason) -> MailAddressError {
        MailAddressError(reason, at: place + 1)
    }

    /// Why a character cannot stand where it is.
    private func refusal(of scalar: Unicode.Scalar) -> MailAddressError {
        switch scalar.properties.generalCategory {
        // What turns the reading direction would turn that of the error too.
        case .control, .format, .lineSeparator, .paragraphSeparator: error(.control(scalar))
        default: error(scalar.isASCII ? .unexpected(scalar) : .notASCII(scalar))
        }
    }

    private mutating func skipBlanks() {
        while next == " " { place += 1 }
    }

    private mutating func expectEnd() throws(MailAddressError) {
        skipBlanks()
        if let next { throw refusal(of: next) }
    }

    // MARK: addr-spec

    private mutating func address() throws(MailAddressError) -> MailAddress {
        guard next != nil else { throw error(.nothingThere) }
        let start = place
        if next == "@" { throw error(.noLocalPart) }
        let localPart = next == "\"" ? try quotedString() : try dotAtom()
        guard place - start <= Self.localPartLimit else {
            throw MailAddressError(.tooLong(limit: Self.localPartLimit), at: start + 1)
        }
        guard let sign = next else { throw error(.noAtSign) }
        guard sign == "@" else { throw refusal(of: sign) }
        place += 1
        guard next != nil, next != ">" else { throw error(.noDomain) }
        return MailAddress(localPart: localPart, domain: next == "[" ? try literal() : try hostName())
    }

    /// `atext` of RFC 5322 §3.2.3.
    private static func isAtomText(_ scalar: Unicode.Scalar) -> Bool {
        isLetterOrDigit(scalar) || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z": true
        default: false
        }
    }

    private mutating func dotAtom() throws(MailAddressError) -> String {
        var text = String.UnicodeScalarView()
        var isBehindDot = true
        while let scalar = next, scalar == "." || Self.isAtomText(scalar) {
            if scalar == ".", isBehindDot { throw error(.nothingBetweenDots) }
            isBehindDot = scalar == "."
            text.append(scalar)
            place += 1
        }
        if isBehindDot {
            guard !text.isEmpty else { throw next.map(refusal) ?? error(.nothingThere) }
            throw MailAddressError(.nothingBetweenDots, at: place)
        }
        return String(text)
    }

    /// With its quotes. Blanks and what a backslash stands before are kept as they are.
    private mutating func quotedString() throws(MailAddressError) -> String {
        let start = place
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        place += 1
        while let scalar = next {
            guard (0x20..<0x7F).contains(scalar.value) else { throw refusal(of: scalar) }
            text.append(scalar)
            place += 1
            if scalar == "\"" { return String(text) }
            guard scalar == "\\" else { continue }
            guard let escaped = next else { break }
            guard (0x20..<0x7F).contains(escaped.value) else { throw refusal(of: escaped) }
            text.append(escaped)
            place += 1
        }
        throw MailAddressError(.openQuote, at: start + 1)
    }

    private mutating func hostName() throws(MailAddressError) -> String {
        let start = place
        var (text, label) = (String.UnicodeScalarView(), 0)
        while let scalar = next {
            if scalar == "." {
                guard label > 0 else { throw error(.nothingBetweenDots) }
                guard text.last != "-" else { throw MailAddressError(.hyphenAtEnd, at: place) }
                label = 0
            } else {
                guard Self.isLetterOrDigit(scalar) || scalar == "-" else { break }
                guard label > 0 || scalar != "-" else { throw error(.hyphenAtEnd) }
                label += 1
                guard label <= Self.labelLimit else { throw error(.tooLong(limit: Self.labelLimit)) }
            }
            text.append(scalar)
            place += 1
        }
        guard let last = text.last else { throw next.map(refusal) ?? error(.noDomain) }
        guard last != "." else { throw MailAddressError(.nothingBetweenDots, at: place) }
        guard last != "-" else { throw MailAddressError(.hyphenAtEnd, at: place) }
        guard text.count <= Self.domainLimit else {
            throw MailAddressError(.tooLong(limit: Self.domainLimit), at: start + 1)
        }
        return String(text)
    }

    /// An address in brackets: letters, digits, dots and colons, as those of IPv4 and IPv6 have (RFC 5321 §4.1.3).
    private mutating func literal() throws(MailAddressError) -> String {
        let start = place
        var text = String.UnicodeScalarView("[".unicodeScalars)
        place += 1
        while let scalar = next {
            if scalar == "]" {
                guard text.count > 1 else { throw error(.noDomain) }
                text.append(scalar)
                place += 1
                return String(text)
            }
            guard Self.isLetterOrDigit(scalar) || scalar == "." || scalar == ":" else { throw refusal(of: scalar) }
            text.append(scalar)
            place += 1
            guard text.count < Self.domainLimit else {
                throw MailAddressError(.tooLong(limit: Self.domainLimit), at: start + 1)
            }
        }
        throw MailAddressError(.openBracket, at: start + 1)
    }

    // MARK: name-addr

    /// Where the angle bracket is that opens the address; nil when there is a bare address.
    private func openingBracket() -> Int? {
        var (isQuoted, index) = (false, place)
        while index < scalars.count {
            switch scalars[index] {
            case "\"": isQuoted.toggle()
            case "\\" where isQuoted: index += 1
            case "<" where !isQuoted: return index
            case "@" where !isQuoted: return nil
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The name in front of an address, without quotes around it; nil when there is none. It may be of any script.
    private mutating func name(until end: Int) throws(MailAddressError) -> String? {
        var (text, isQuoted) = (String.UnicodeScalarView(), false)
        while place < end {
            var scalar = scalars[place]
            if scalar == "\"" {
                isQuoted.toggle()
                place += 1
                continue
            }
            if scalar == "\\", isQuoted, place + 1 < end {
                place += 1
                scalar = scalars[place]
            }
            guard scalar.value >= 0x20, !(0x7F..<0xA0).contains(scalar.value) else { throw refusal(of: scalar) }
            text.append(scalar)
            place += 1
        }
        while text.last == " " { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }
}
