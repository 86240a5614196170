/// A printer that can be named: a queue of the print server, or one that the configuration gives an address.
public struct PrintQueue: Hashable, Sendable, Codable {
    /// The `printer-state` of RFC 8011 §5.4.11.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case idle
        case processing
        case stopped

        /// - Parameter number: the enumeration's value in RFC 8011, 3...5.
        public init?(number: Int) {
            switch number {
            case 3: self = .idle
            case 4: self = .processing
            case 5: self = .stopped
            default: return nil
            }
        }
    }

    /// Who leads to the printer.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The print server.
        case queue
        /// This program itself, over the network.
        case network
    }

    public var name: String
    public var kind: Kind
    /// Whether it takes the jobs for which no queue is named.
    public var isDefault: Bool
    public var state: State
    public var isAcceptingJobs: Bool
    /// `printer-state-reasons`, in the server's keywords.
    public var reasons: [String]
    /// What the printer or the server says, for people.
    public var message: String?

    /// Where the printer is, as a URI without credentials; nil where nobody says.
    public var address: String?
    /// Maker and model, as the printer or its driver says.
    public var model: String?

    public init(
        name: String, kind: Kind = .queue, isDefault: Bool, state: State, isAcceptingJobs: Bool,
        reasons: [String] = [], message: String? = nil, address: String? = nil, model: String? = nil
    ) {
        (self.name, self.kind, self.isDefault, self.state) = (name, kind, isDefault, state)
        (self.address, self.model) = (address, model)
        (self.isAcceptingJobs, self.reasons, self.message) = (isAcceptingJobs, reasons, message)
    }

    /// Whether what is "completed" in it is on paper: the server has an answer of the printer's own, as IPP gives. All
    /// other links (`socket`, `usb`, `lpd`, a file) take bytes and say no more.
    var confirms: Bool {
        guard let address, let colon = address.firstIndex(of: ":") else { return false }
        switch address[..<colon] {
        case "ipp", "ipps", "http", "https", "implicitclass": return true
        // Announced by DNS-SD: the kind of service is part of the name.
        case "dnssd": return address.contains("._ipp")
        default: return false
        }
    }

    /// Whether the queue passes bytes on as they are. CUPS has no other sign of it than the model that it gives such a
    /// queue itself.
    var isRaw: Bool { model == "Local Raw Printer" }

    /// A URI without what stands before the @ of its authority (RFC 3986 §3.2.1).
    static func withoutCredentials(_ address: String) -> String {
        guard let start = address.firstRange(of: "://")?.upperBound else { return address }
        let end = address[start...].firstIndex { "/?#".contains($0) } ?? address.endIndex
        guard let mark = address[start..<end].lastIndex(of: "@") else { return address }
        return String(address[..<start] + address[address.index(after: mark)...])
    }
}
