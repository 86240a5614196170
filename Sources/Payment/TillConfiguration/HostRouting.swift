public import CardSecrets
public import Money
import Settings

/// A payment host with its name.
public struct NamedAcquirer: Hashable, Sendable {
    /// The key in `hosts`, or ``HostRouting/defaultName``.
    public let name: String
    /// How the till reaches it, and speaks to it.
    public let settings: AcquirerSettings
}

/// First digits of card numbers: a prefix, or a range of prefixes of the same length.
public struct BINRange: Hashable, Sendable {
    /// As in the file: `51` or `51-55`.
    public let text: String
    /// The first eight digits of the card numbers.
    let digits: ClosedRange<UInt32>

    static let digitCounts = 1...CardPrefix.digitCount
}

/// Which payments go to which host. The first route that fits a payment has its host; without one, it goes to the
/// default host.
public struct HostRouting: Hashable, Sendable {
    /// The name of the host that `host` has.
    public static let defaultName = "default"
    static let failoverKey = "failover"

    /// A route: the payments that fit go to a host.
    public struct Route: Hashable, Sendable {
        /// The cards; empty for all.
        public let ranges: [BINRange]
        /// The currencies; empty for all.
        public let currencies: [Currency]
        /// The name of the host.
        public let host: String

        /// Whether a payment fits. A card that is not known fits a route without ranges only.
        func takes(_ prefix: CardPrefix?, _ currency: Currency) -> Bool {
            guard currencies.isEmpty || currencies.contains(currency) else { return false }
            guard !ranges.isEmpty else { return true }
            guard let prefix else { return false }
            return ranges.contains { prefix.isIn($0.digits) }
        }
    }

    /// The routes, in the order in which they are tried.
    public let routes: [Route]
    /// The names of the hosts that may take over, by that of the host that can't be reached, in the order of the tries.
    public let failover: [String: [String]]

    /// No routes: every payment goes to the default host.
    public init() { (routes, failover) = ([], [:]) }

    /// Returns the names of the hosts for a payment: that of its route first, then those that may take over.
    ///
    /// - Parameters:
    ///   - prefix: the first digits of the card number; nil when they are not known.
    ///   - currency: the currency of the payment.
    /// - Returns: the names, each once, and one at least.
    public func hosts(for prefix: CardPrefix?, currency: Currency) -> [String] {
        let first = routes.first { $0.takes(prefix, currency) }?.host ?? Self.defaultName
        return [first] + (failover[first] ?? [])
    }
}

extension TillConfiguration {
    /// Every payment host with an address, the default one first; empty with the simulated host.
    public var acquirers: [NamedAcquirer] {
        guard case .iso8583(let settings) = host else { return [] }
        return [NamedAcquirer(name: HostRouting.defaultName, settings: settings)] + otherHosts
    }
}

extension NamedAcquirer {
    private static let nameRule = "write 1 to 32 lower-case letters, digits, and hyphens"

    /// Reads `hosts`.
    static func others(
        _ node: SettingsNode?, besides host: PaymentHostChoice
    ) throws(SettingsError) -> [NamedAcquirer] {
        guard let node else { return [] }
        guard case .iso8583(let first) = host else {
            throw node.error(
                "the simulated host can't be one of several",
                fix: "write host: { kind: iso8583, address: HOST:PORT, profile: NAME }, or remove hosts")
        }
        var places = [first.machine: HostRouting.defaultName]
        var others: [NamedAcquirer] = []
        for entry in try node.entries() {
            func failure(_ message: String, _ fix: String) -> SettingsError {
                SettingsError(
                    location: entry.location, keyPath: entry.value.keyPath,
                    problem: .invalid(message: message, fix: fix))
            }
            guard entry.key != HostRouting.defaultName else {
                throw failure("'default' is the name of the host in 'host'", "choose another name")
            }
            let isName = entry.key.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
            guard isName, (1...32).contains(entry.key.utf8.count) else { throw failure("not a name", nameRule) }
            guard case .iso8583(let settings) = try PaymentHostChoice(entry.value) else {
                throw failure("the simulated host can't be one of several", "write kind: iso8583, or remove the host")
            }
            if let days = try entry.value.optional(PaymentHostChoice.preauthorizationKey) {
                throw days.error("the days are the same for all hosts", fix: "write them in 'host'")
            }
            if let renewal = try entry.value.optional(PaymentHostChoice.renewalKey) {
                throw renewal.error("this is the same for all hosts", fix: "write it in 'host'")
            }
            if let other = places.updateValue(entry.key, forKey: settings.machine) {
                throw failure(
                    "the host '\(other)' has the same address",
                    "give each host an address of its own: it tells in the journal where a message went")
            }
            others.append(NamedAcquirer(name: entry.key, settings: settings))
        }
        return others
    }
}

extension BINRange {
    private static let form = "write first digits of card numbers, 1 to 8, such as 34, or a range such as 51-55"

    init(_ node: SettingsNode) throws(SettingsError) {
        text = try node.text(length: 1...17)
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ Self.digitCounts.contains($0.utf8.count) }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            parts.first?.utf8.count == parts.last?.utf8.count,
            let low = parts.first.flatMap({ Self.number($0, filledWith: "0") }),
            let high = parts.last.flatMap({ Self.number($0, filledWith: "9") })
        else { throw node.error("not first digits of card numbers", fix: Self.form) }
        guard low <= high else {
            throw node.error("the range is empty: its end is before its beginning", fix: Self.form)
        }
        digits = low...high
    }

    private static func number(_ digits: Substring, filledWith digit: String) -> UInt32? {
        UInt32(String(digits) + String(repeating: digit, count: CardPrefix.digitCount - digits.utf8.count))
    }
}

extension HostRouting.Route {
    private static let allowed = ["bins", "currencies", "host"]

    fileprivate init(_ node: SettingsNode, _ names: [String]) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.allowed)
        var ranges: [BINRange] = []
        if let bins = try node.optional("bins") {
            for bin in try bins.asList.list(count: 1...1000) {
                let range = try BINRange(bin)
                if let other = ranges.first(where: { $0.digits.overlaps(range.digits) }) {
                    throw bin.error("overlaps with \(other.text) of the same route", fix: "remove one of them")
                }
                ranges.append(range)
            }
        }
        var currencies: [Currency] = []
        if let list = try node.optional("currencies") {
            for element in try list.asList.list(count: 1...200) {
                let currency = try element.currency()
                guard !currencies.contains(currency) else {
                    throw element.error("duplicate currency", fix: "remove one of them")
                }
                currencies.append(currency)
            }
        }
        guard !ranges.isEmpty || !currencies.isEmpty else {
            throw node.error(
                "the route takes every payment", fix: "add bins or currencies, or make its host that of 'host'")
        }
        (self.ranges, self.currencies) = (ranges, currencies)
        host = try HostRouting.name(try node.required("host"), names)
    }

    /// Returns which range of an earlier route takes payments first that this route has, too; nil when the order is
    /// clear: the currencies differ, or the earlier route is the narrower one.
    fileprivate func conflict(with earlier: HostRouting.Route) -> (own: Int, other: BINRange?)? {
        let (mine, theirs) = (Set(currencies), Set(earlier.currencies))
        guard mine.isEmpty || theirs.isEmpty || !mine.isDisjoint(with: theirs) else { return nil }
        guard theirs.isEmpty || !mine.isEmpty && mine.isSubset(of: theirs) else { return nil }
        // An earlier route for all cards leaves nothing.
        guard !earlier.ranges.isEmpty else { return (0, nil) }
        for (place, own) in ranges.enumerated() {
            for other in earlier.ranges where own.digits.overlaps(other.digits) {
                let isNarrower =
                    own.digits != other.digits && own.digits.lowerBound <= other.digits.lowerBound
                    && own.digits.upperBound >= other.digits.upperBound
                if !isNarrower { return (place, other) }
            }
        }
        return nil
    }
}

extension HostRouting {
    /// Reads `routes`, and `failover` of each host.
    ///
    /// - Parameters:
    ///   - root: the configuration.
    ///   - host: its default host.
    ///   - others: its other hosts.
    /// - Throws: `SettingsError` with line and key.
    init(_ root: SettingsNode, _ host: PaymentHostChoice, _ others: [NamedAcquirer]) throws(SettingsError) {
        let names = [Self.defaultName] + others.map(\.name)
        routes = try Self.routes(try root.optional("routes"), names)
        guard case .iso8583 = host else {
            self.failover = [:]
            return
        }
        var failover = [Self.defaultName: try Self.failover(of: Self.defaultName, try root.optional("host"), names)]
        if let hosts = try root.optional("hosts") {
            for entry in try hosts.entries() {
                failover[entry.key] = try Self.failover(of: entry.key, entry.value, names)
            }
        }
        self.failover = failover.filter { !$0.value.isEmpty }
    }

    private static func routes(_ node: SettingsNode?, _ names: [String]) throws(SettingsError) -> [Route] {
        guard let node else { return [] }
        guard names.count > 1 else {
            throw node.error("there is one host only", fix: "add the other hosts under 'hosts', or remove routes")
        }
        var routes: [Route] = []
        for element in try node.list(count: 1...1000) {
            let route = try Route(element, names)
            for (number, earlier) in routes.enumerated() {
                guard let conflict = route.conflict(with: earlier) else { continue }
                let bins = try element.optional("bins")?.asList.list() ?? []
                let place = conflict.own < bins.count ? bins[conflict.own] : element
                throw place.error(
                    "routes[\(number)] has \(conflict.other.map { "\($0.text) of these cards" } ?? "all cards") before",
                    fix: "the first route that fits is taken: put the narrower one first, or correct one of them")
            }
            routes.append(route)
        }
        return routes
    }

    private static func failover(
        of name: String, _ host: SettingsNode?, _ names: [String]
    ) throws(SettingsError) -> [String] {
        guard let list = try host?.optional(failoverKey) else { return [] }
        var found: [String] = []
        for element in try list.asList.list(count: 1...16) {
            let other = try Self.name(element, names)
            guard other != name else {
                throw element.error("the host can't take over from itself", fix: "name another host")
            }
            guard !found.contains(other) else { throw element.error("duplicate host", fix: "remove one of them") }
            found.append(other)
        }
        return found
    }

    /// Reads the name of a host.
    fileprivate static func name(_ node: SettingsNode, _ names: [String]) throws(SettingsError) -> String {
        let text = try node.text(length: 1...100)
        guard names.contains(text) else {
            throw node.error(
                "no host is called '\(text)'",
                fix: names.count > 1
                    ? "write one of \(names.joined(separator: ", ")), or add it under 'hosts'" : "add it under 'hosts'")
        }
        return text
    }
}

extension HostRouting {
    /// The failover of a host, as lines of its section.
    func yaml(of host: String) -> [String] {
        guard let names = failover[host] else { return [] }
        return ["  \(Self.failoverKey): [\(names.map(TillConfiguration.quoted).joined(separator: ", "))]"]
    }

    /// The routes, as lines of a configuration file.
    var yaml: [String] {
        guard !routes.isEmpty else { return [] }
        return ["routes:"]
            + routes.flatMap { route -> [String] in
                let bins = route.ranges.map { TillConfiguration.quoted($0.text) }.joined(separator: ", ")
                let currencies = route.currencies.map(\.code).joined(separator: ", ")
                return ["  - host: " + TillConfiguration.quoted(route.host)]
                    + (bins.isEmpty ? [] : ["    bins: [\(bins)]"])
                    + (currencies.isEmpty ? [] : ["    currencies: [\(currencies)]"])
            }
    }
}
