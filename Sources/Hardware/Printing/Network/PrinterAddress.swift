/// Where a network printer takes bytes: a TCP port of a host.
public struct PrinterAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, or a number of IPv4 or IPv6.
    public let host: String
    public let port: UInt16

    /// The port at which nearly all of them listen.
    public static let standardPort: UInt16 = 9100
    private static let scheme = "socket://"

    public init(host: String, port: UInt16 = PrinterAddress.standardPort) { (self.host, self.port) = (host, port) }

    /// Reads `socket://HOST`, `socket://HOST:PORT`, and either with an IPv6 number in brackets. Nil when the text is none
    /// of these; nobody signs in to such a printer, so a user has no place in it.
    public init?(_ text: String) {
        guard text.lowercased().hasPrefix(Self.scheme) else { return nil }
        var rest = text.dropFirst(Self.scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        var port = Self.standardPort
        let isNumbered = rest.hasPrefix("[")
        let colon = rest.lastIndex(of: ":").flatMap { colon in
            isNumbered && rest[..<colon].last != "]" ? nil : colon
        }
        if let colon {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            port = number
            rest = rest[..<colon]
        }
        if isNumbered {
            guard rest.hasSuffix("]") else { return nil }
            rest = rest.dropFirst().dropLast()
        }
        guard (1...253).contains(rest.utf8.count), rest.utf8.allSatisfy({ Self.isAllowed($0, isNumbered: isNumbered) })
        else { return nil }
        self.init(host: String(rest), port: port)
    }

    /// Letters, digits and what else stands in names of hosts; colons and a zone in a number of IPv6.
    private static func isAllowed(_ byte: UInt8, isNumbered: Bool) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        case UInt8(ascii: ":"), UInt8(ascii: "%"): isNumbered
        default: false
        }
    }

    public var description: String { Self.scheme + (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
