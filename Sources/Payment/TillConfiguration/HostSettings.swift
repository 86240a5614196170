public import Connections
import HostSecurity
import ISO8583
import Settings

/// The payment host that a configuration selects: the value of `host`, or of `kind` in it.
public enum PaymentHostChoice: Hashable, Sendable {
    /// The issuer of the simulated cards, in this process. No money moves.
    case simulated
    /// A host that speaks ISO 8583.
    case iso8583(AcquirerSettings)

    /// The word for the host in the configuration and in the journal.
    public var kind: String {
        switch self {
        case .simulated: Kind.simulated.rawValue
        case .iso8583: Kind.iso8583.rawValue
        }
    }

    private enum Kind: String, CaseIterable, Sendable {
        case simulated
        case iso8583
    }

    /// The hosts that need no settings.
    private enum Word: String, CaseIterable, Sendable {
        case simulated
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        guard node.kind == .mapping else {
            if (try? node.text()) == Kind.iso8583.rawValue {
                throw node.error(
                    "an ISO 8583 host needs an address and a profile",
                    fix: "write host: { kind: iso8583, address: HOST:PORT, profile: NAME }")
            }
            switch try node.choice(Word.self) {
            case .simulated: self = .simulated
            }
            return
        }
        switch try node.required("kind").choice(Kind.self) {
        case .simulated:
            try node.mapping(allowedKeys: ["kind", Self.preauthorizationKey, Self.renewalKey])
            self = .simulated
        case .iso8583: self = .iso8583(try AcquirerSettings(node))
        }
    }
}

extension PaymentHostChoice {
    static let preauthorizationKey = "preauthorizationDays"
    static let renewalKey = "incrementRenewsHold"

    /// Reads how many days a pre-authorization lasts, 1...180, from the settings of any host.
    static func preauthorizationDays(_ node: SettingsNode?) throws(SettingsError) -> Int {
        let standard = TillConfiguration.standardPreauthorizationDays
        guard let node, node.kind == .mapping else { return standard }
        return try node.optional(preauthorizationKey)?.int(in: 1...180) ?? standard
    }

    /// Reads whether an increment renews a pre-authorization, from the settings of any host.
    static func incrementRenewsHold(_ node: SettingsNode?) throws(SettingsError) -> Bool {
        guard let node, node.kind == .mapping else { return false }
        return try node.optional(renewalKey)?.bool() ?? false
    }
}

/// How a till reaches a host that speaks ISO 8583, and how it speaks to it.
public struct AcquirerSettings: Hashable, Sendable {
    /// How the till uses TLS.
    public struct TLS: Hashable, Sendable {
        /// A file of the authorities to trust (PEM); nil for those of the system.
        public let authorities: String?
        /// Files of the till's certificate and its key (PEM); nil for none.
        public let certificate: String?
        public let key: String?
        /// The name in the host's certificate; nil for that of the address.
        public let serverName: String?

        fileprivate init(_ node: SettingsNode) throws(SettingsError) {
            try node.mapping(allowedKeys: ["ca", "certificate", "key", "serverName"])
            authorities = try node.optional("ca")?.path()
            certificate = try node.optional("certificate")?.path()
            key = try node.optional("key")?.path()
            serverName = try node.optional("serverName")?.printable(length: 1...253)
            guard (certificate == nil) == (key == nil) else {
                throw node.error("certificate and key go together", fix: "write both, or none")
            }
        }
    }

    public let address: TCPAddress
    /// The name of a shipped message profile, or the path of one.
    public let profile: String
    /// Nil for none, which only a host on this machine has.
    public let tls: TLS?
    /// The file of the keys for MACs and PINs, or the PKCS#11 URI of their token; nil for none.
    public let keys: String?
    /// The longest time to a connection; nil for the profile's.
    public let connectTimeout: Duration?
    /// The longest time to an answer; nil for the profile's.
    public let answerTimeout: Duration?
    /// The number of the terminal at this host (field 41), 1 to 8 characters; nil for `terminal.id`.
    public let terminal: String?
    /// The number of the merchant at this host (field 42), 1 to 15 characters; nil for `merchant.id`.
    public let merchant: String?

    private static let allowed = [
        "kind", "address", "profile", "tls", "keys", "timeouts", "terminalId", "merchantId", HostRouting.failoverKey,
        PaymentHostChoice.preauthorizationKey, PaymentHostChoice.renewalKey,
    ]
    private static let timeouts = ["connect", "answer"]

    fileprivate init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.allowed)
        let place = try node.required("address")
        guard let address = TCPAddress(try place.text(length: 1...300)), address.port > 0 else {
            throw place.error(
                "not an address", fix: "write HOST:PORT with a port of 1 to 65535, such as acquirer.example:8583")
        }
        self.address = address
        profile = try Self.profile(try node.required("profile"))
        tls = try node.optional("tls").map(TLS.init)
        guard tls != nil || address.isLoopback else {
            throw place.error(
                "the host is not this machine, so card data must not cross the network without TLS",
                fix: "add tls: {} to trust the system's authorities, or tls: { ca: FILE }")
        }
        keys = try node.optional("keys").map(Self.keys)
        let limits = try node.optional("timeouts")
        try limits?.mapping(allowedKeys: Self.timeouts)
        connectTimeout = try limits?.optional("connect")?.seconds(in: 1...600).seconds
        answerTimeout = try limits?.optional("answer")?.seconds(in: 1...600).seconds
        terminal = try node.optional("terminalId")?.printable(length: 1...8)
        merchant = try node.optional("merchantId")?.printable(length: 1...15)
    }

    /// The address as the journal has it: `HOST:PORT` in lower case.
    public var place: String { "\(address)".lowercased() }

    /// The address by which two hosts are the same: as ``place``, with one name for this machine and no dot at the end.
    var machine: String {
        var host = address.host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        let isThisMachine = ["localhost", "127.0.0.1", "::1"].contains(host)
        return "\(TCPAddress(host: isThisMachine ? "localhost" : host, port: address.port))"
    }

    /// The path of a key file, or the URI of a token, which must have no PIN in it.
    private static func keys(_ node: SettingsNode) throws(SettingsError) -> String {
        let text = try node.text(length: 1...4096)
        guard TokenURI.names(text) else { return try node.path() }
        do throws(TokenURIError) { _ = try TokenURI(text) } catch {
            throw node.concealed.error("\(error)", fix: error.fix)
        }
        return text
    }

    /// The name of a shipped profile, or a path. A word without a dot or a slash is a name.
    private static func profile(_ node: SettingsNode) throws(SettingsError) -> String {
        let text = try node.line(length: 1...1024)
        if MessageProfile.shippedNames.contains(text) { return text }
        guard text.contains("/") || text.contains(".") else {
            throw node.error(
                "no message profile is called '\(text)'",
                fix: "write a file, or one of \(MessageProfile.shippedNames.joined(separator: ", "))")
        }
        return try node.path()
    }
}

extension Int {
    fileprivate var seconds: Duration { .seconds(self) }
}

extension AcquirerSettings {
    /// The settings as lines of a configuration file, below `host:`.
    var yaml: [String] {
        var lines = [
            "  kind: iso8583", "  address: " + TillConfiguration.quoted(address.description),
            "  profile: " + TillConfiguration.quoted(profile),
        ]
        if let tls {
            let values = [
                ("ca", tls.authorities), ("certificate", tls.certificate), ("key", tls.key),
                ("serverName", tls.serverName),
            ].compactMap { key, value in value.map { "    \(key): " + TillConfiguration.quoted($0) } }
            lines += values.isEmpty ? ["  tls: {}"] : ["  tls:"] + values
        }
        if let keys { lines.append("  keys: " + TillConfiguration.quoted(keys)) }
        if let terminal { lines.append("  terminalId: " + TillConfiguration.quoted(terminal)) }
        if let merchant { lines.append("  merchantId: " + TillConfiguration.quoted(merchant)) }
        let timeouts = [("connect", connectTimeout), ("answer", answerTimeout)]
            .compactMap { key, value in value.map { "    \(key): \($0.components.seconds)  # seconds" } }
        return lines + (timeouts.isEmpty ? [] : ["  timeouts:"] + timeouts)
    }
}
